/**
 * Rounds a second of runs that train in a page of the studio, in headless Chromium, beside ONNX Runtime for Node on one
 * thread. The page also measures, draws and predicts meanwhile; Node does nothing else. Processor time is that of the page's
 * own process, so that other work on the machine does not count. Needs a build, and Chromium, which CHROMIUM names or
 * /usr/bin/chromium is. Takes a task and options of the page's address, antiderivative unless given.
 */
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { chromium } from "playwright-core";
import { describeSource } from "../dist/datasets/describe-source.js";
import { onnxBackend } from "../dist/engine/onnx/onnx-backend.js";
import { federate } from "../dist/federation/federation.js";
import { prepareData } from "../dist/federation/prepared-data.js";
import { runOptions } from "../dist/federation/run-options.js";
import { train } from "../dist/federation/trainer.js";
import { settingsOf } from "../dist/studio/address.js";
import { startStudio } from "../dist/studio/server/server.js";
import { givenRun } from "../dist/studio/training/given-run.js";
import { parseRuns } from "../dist/studio/training/run-list.js";

const TASK = process.argv[2] ?? "antiderivative";
const OTHERS = process.argv[3] ?? "";
const RUNS = ["alpha=0.1", "alpha=100;alpha=0.1;alpha=0.01"];
/** Rounds before the clock starts, and seconds that it runs. */
const [WARM, SECONDS] = [20, 8];

console.log(`${TASK}, 10 clients, on ${cpus().length} cores, ${cpus()[0].model.trim()}`);
console.log("| runs | where | rounds/s of each run | rounds/s in all | ms of processor time a round |");
console.log("| ---: | --- | ---: | ---: | ---: |");
const server = await startStudio();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  for (const runs of RUNS) {
    const count = runs.split(";").length;
    row(count, "Chromium, WebAssembly", await inPage(runs), count);
    row(count, "Node, native", await inNode(runs), 1);
  }
} finally {
  await browser.close();
  await server.close();
}

/** @param together runs that do a round each in a lap */
function row(runs, where, { rounds, seconds, processor }, together) {
  const rate = rounds / seconds;
  const cells = [
    runs,
    where,
    rate.toFixed(1),
    (rate * runs).toFixed(1),
    (processor / rounds / together).toFixed(1),
  ];
  console.log(`| ${cells.join(" | ")} |`);
}

async function inPage(runs) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${server.url}#view=training&task=${TASK}&rounds=1000000&runs=${runs}&${OTHERS}`);
  const done = async () => Number(await page.locator('[data-measure="round"] b').textContent());
  await page.getByRole("button", { name: "Start" }).click({ timeout: 300_000 });
  await page.locator('[data-measure="round"] b').waitFor({ timeout: 300_000 });
  while ((await done()) < WARM) await page.waitForTimeout(50);
  const [from, began, worked] = [await done(), performance.now(), processorTime()];
  await page.waitForTimeout(1000 * SECONDS);
  const [to, ended, after] = [await done(), performance.now(), processorTime()];
  await page.close();
  return { rounds: to - from, seconds: (ended - began) / 1000, processor: after - worked };
}

/** The same runs one after another: what each has of the time is what it would have beside the others on one thread. */
async function inNode(runs) {
  const { settings } = settingsOf(`task=${TASK}&rounds=1000000&runs=${runs}&${OTHERS}`);
  const { task, data_seed: seed, train_samples, test_samples, parameters } = settings;
  const options = {
    ...{ task, seed, parameters },
    ...(train_samples > 0 && { train: train_samples }),
    ...(test_samples > 0 && { test: test_samples }),
  };
  const data = { origin: { kind: "task", options }, ...describeSource(options) };
  const each = parseRuns(runs);
  let [rounds, seconds, processor] = [0, 0, 0];
  for (const run of each) {
    const own = runOptions({ ...givenRun(settings, run, data), checkpoints: [] });
    const problem = await federate(await prepareData(own), own);
    const stop = new AbortController();
    let [began, worked, first] = [0, 0, 0];
    await train(problem, own, {
      backend: onnxBackend,
      signal: stop.signal,
      onRound(round) {
        const { user, system } = process.cpuUsage();
        if (round === WARM) [began, worked, first] = [performance.now(), user + system, round];
        if (round <= WARM || performance.now() - began < (1000 * SECONDS) / each.length) return;
        rounds += round - first;
        seconds += (performance.now() - began) / 1000;
        processor += (user + system - worked) / 1000;
        stop.abort(new Error("enough"));
      },
    }).catch((error) => {
      if (error.message !== "enough") throw error;
    });
  }
  return { rounds: rounds / each.length, seconds, processor: processor / each.length };
}

/** Milliseconds that the pages of this browser have worked; nothing where the system does not tell. */
function processorTime() {
  const parents = new Map();
  const times = new Map();
  try {
    for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
      try {
        const fields = readFileSync(`/proc/${id}/stat`, "utf8").split(") ")[1].split(" ");
        parents.set(id, fields[1]);
        if (readFileSync(`/proc/${id}/cmdline`, "utf8").includes("--type=renderer"))
          times.set(id, 10 * (Number(fields[11]) + Number(fields[12])));
      } catch {} // it has ended
  } catch {
    return Number.NaN;
  }
  const isOurs = (id) => id === String(process.pid) || (parents.has(id) && isOurs(parents.get(id)));
  return [...times].reduce((sum, [id, time]) => sum + (isOurs(id) ? time : 0), 0);
}
