/**
 * What grows with clients, samples, parameters and jobs, and how fast: seconds to prepare a run (bins, clients, diagnostics),
 * milliseconds of a round, rounds a second, the most memory that the process took and the bytes of its state. Each point is a
 * process of its own that does what `train` does: it generates Antiderivative, fits bins, splits them by Dirichlet with
 * alpha 0.1 (many clients: IID, so that batches are alike), and trains with 5 local Adam steps. The slope is that of a line
 * through the logarithms: 0 where something does not grow, 1 where it grows in proportion. Needs a build.
 *
 *   node bench/scaling.mjs [--only clients|samples|parameters|jobs] [--json file]
 */

import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openBackend } from "../dist/federation/backends.js";
import { federate } from "../dist/federation/federation.js";
import { prepareData } from "../dist/federation/prepared-data.js";
import { replicaData } from "../dist/federation/replicas/replicas-data.js";
import { stateBytes } from "../dist/federation/rounds/clients-memory.js";
import { startRounds } from "../dist/federation/rounds/rounds.js";
import { runOptions } from "../dist/federation/run-options.js";
import { initialState } from "../dist/federation/trainer.js";
import { parameterCount } from "../dist/models/parameter-layout.js";
import { hardware, json } from "./processes.mjs";

const SELF = fileURLToPath(import.meta.url);
const PARTICIPANTS = 10;
/** Milliseconds of rounds that are timed at least, and how often; the fastest turn counts. */
const SHORTEST = 1000;
const TURNS = 3;
const BASE = {
  task: "antiderivative",
  alpha: 0.1,
  seed: 0,
  clients: PARTICIPANTS,
  train: 1000,
  test: 200,
  minSize: 1,
};

/** Clients of equal size: the largest one of many would have larger batches. */
const ALIKE = { partitioner: { name: "iid" }, alpha: null };

/** What varies, and what each point of it is. */
const AXES = {
  clients: {
    title: `clients, of whom ${PARTICIPANTS} take part; 20 samples each`,
    values: [10, 100, 1000, 10_000],
    point: (clients) => ({
      options: { clients, train: 20 * clients, participation: PARTICIPANTS, ...ALIKE },
    }),
  },
  samples: {
    title: "samples among 10 clients",
    values: [1000, 10_000, 100_000],
    point: (train) => ({ options: { train } }),
  },
  parameters: {
    title: "parameters of a DeepONet, by its width",
    values: [32, 64, 128, 256, 512, 1024],
    point: (width) => ({ options: { model: { width } } }),
    of: ({ parameters }) => parameters,
  },
  jobs: {
    title: "runs at once, a process with one thread each",
    values: [1, 2, 4].filter((jobs) => jobs <= 2 * availableParallelism()),
    point: (jobs) => ({ options: {}, jobs }),
  },
};
/** What is measured, in the order of columns. */
const MEASURES = {
  prepare: "prepare, s",
  round: "ms a round",
  rate: "rounds/s in all",
  memory: "memory, GB",
  state: "state, MB",
};

const { values } = parseArgs({
  options: { only: { type: "string" }, json: { type: "string" }, run: { type: "string" } },
});
if (values.run) console.log(JSON.stringify(await measure(JSON.parse(values.run))));
else await compare(Object.keys(AXES).filter((axis) => (values.only ?? axis) === axis));

/** One run, in this process. */
async function measure(options) {
  const given = runOptions({ ...BASE, ...options });
  await prepareData(given); // generates the data or finds them in the cache
  const began = performance.now();
  const problem = await federate(await prepareData(given), given);
  const prepare = (performance.now() - began) / 1000;
  const { backend, close } = await openBackend(given, "cpu");
  const replicas = [{ problem, options: given, start: initialState(problem, given) }];
  const rounds = await startRounds(replicas, replicaData([problem], backend), backend);
  const turn = async (count) => {
    const start = performance.now();
    for (let i = 0; i < count; i++) await rounds.next(false);
    return (performance.now() - start) / count;
  };
  await turn(2);
  const count = Math.ceil(SHORTEST / (await turn(2)));
  let round = Infinity;
  for (let i = 0; i < TURNS; i++) round = Math.min(round, await turn(count));
  await rounds.close();
  close();
  return {
    parameters: parameterCount(problem.operator.layout),
    prepare,
    round,
    memory: process.resourceUsage().maxRSS / 2 ** 20,
    state: stateBytes(problem.operator.layout, problem.weights.length, given) / 1e6,
  };
}

async function compare(names) {
  const results = {};
  for (const name of names) {
    const { title, values, point, of = (_, value) => value } = AXES[name];
    const points = [];
    for (const value of values) {
      const { options, jobs = 1 } = point(value);
      const run = ["--run", JSON.stringify(options)];
      const all = await Promise.all(
        Array.from({ length: jobs }, () => json(process.execPath, [SELF, ...run])),
      );
      const most = (key) => Math.max(...all.map((found) => found[key]));
      const rate = all.reduce((sum, { round }) => sum + 1000 / round, 0);
      const found = Object.fromEntries(
        ["parameters", "prepare", "round", "memory", "state"].map((key) => [key, most(key)]),
      );
      points.push({ value: of(found, value), ...found, rate, memory: jobs * found.memory });
    }
    results[name] = { title, points, slopes: slopes(points) };
    console.log(text(name, results[name]));
  }
  if (!values.json) return;
  // Axes that were measured on this machine before stay.
  const before = JSON.parse(await readFile(values.json, "utf8").catch(() => "{}"));
  const axes = { ...(before.hardware === hardware() ? before.axes : {}), ...results };
  await writeFile(values.json, `${JSON.stringify({ hardware: hardware(), axes }, undefined, 1)}\n`);
}

/** Slopes over the last decade of an axis, where what does not grow with it counts least, or over all of a shorter one. */
function slopes(points) {
  const last = points.at(-1).value;
  const tail = points.filter(({ value }) => value >= last / 10.01);
  return Object.fromEntries(
    Object.keys(MEASURES).map((key) => [key, slope(tail.map((one) => [one.value, one[key]]))]),
  );
}

/** The least-squares line through logarithms. */
function slope(pairs) {
  const logs = pairs.map(([x, y]) => [Math.log(x), Math.log(y)]);
  const mean = (i) => logs.reduce((sum, pair) => sum + pair[i], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const square = logs.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
  return logs.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0) / square;
}

function text(name, { title, points, slopes }) {
  const cell = (number) => number.toPrecision(3).replace(/e\+?/, "e").padStart(16);
  const row = (head, numbers) => `${String(head).padStart(10)}${numbers.join("")}`;
  return [
    `${name}: ${title}`,
    row(
      name,
      Object.values(MEASURES).map((words) => words.padStart(16)),
    ),
    ...points.map((point) =>
      row(
        point.value,
        Object.keys(MEASURES).map((key) => cell(point[key])),
      ),
    ),
    row(
      "slope",
      Object.keys(MEASURES).map((key) => slopes[key].toFixed(2).padStart(16)),
    ),
  ].join("\n");
}
