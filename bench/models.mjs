/**
 * Milliseconds per local step of a client with each kind of model: gradients of the mean square and Adam, random data. One
 * process with one thread, and two such processes side by side, beside PyTorch with one thread and with two, and JAX with
 * as many as it takes, where Python has them. Needs a build; Python is the one that PDE_DIRICHLET_PYTHON names, or python3.
 *
 * Machines are noisy: everybody takes turns, and the fastest turn counts. Arguments: names of cases; all by default.
 * `--profile case` shows where the time goes, by operations of ONNX Runtime.
 */

import { fileURLToPath } from "node:url";
import { onnxBackend } from "../dist/engine/onnx/onnx-backend.js";
import { adam } from "../dist/engine/optimizers.js";
import { hold } from "../dist/federation/held-inputs.js";
import { clientProgram } from "../dist/federation/rounds/round-program.js";
import { fieldSize } from "../dist/models/model.js";
import { modelOf } from "../dist/models/models.js";
import { stream } from "../dist/random/stream.js";
import { timedOperations } from "./onnx-profile.mjs";
import { json, peer } from "./processes.mjs";

const SELF = fileURLToPath(import.meta.url);
const TURNS = 3;
const STEPS = 4;
/** Milliseconds that turns take at least: small models have more of them. */
const SHORTEST = 1000;
const of = (model, inputs, responses, { batch = 16, ...options } = {}) => {
  const shapes = { inputs, responses };
  return { shapes, batch, operator: modelOf(model).build(shapes, options) };
};
const one = (...grid) => ({ channels: 1, grid });
const CASES = {
  fno2d: of("fno", one(64, 64), one(64, 64)),
  fno1d: of("fno", one(1024), one(1024), { width: 64, modes: 16, batch: 32 }),
  fno3d: of("fno", one(32, 32, 32), one(32, 32, 32), { width: 20, modes: 8, batch: 4 }),
  "deeponet-64": of("deeponet", one(100), one(64, 64), { width: 64, depth: 3, batch: 64 }),
  "inversion-net-1000": of("inversion-net", { channels: 5, grid: [1000, 70] }, one(70, 70)),
  "inversion-net-250": of("inversion-net", { channels: 5, grid: [250, 70] }, one(70, 70)),
};
const OPTIONS = { optimizer: { name: "adam", rate: 1e-3 }, clientState: "keep" };

const [mode, ...names] = process.argv.slice(2);
if (mode === "--run") console.log(JSON.stringify(await measure(names[0])));
else if (mode === "--profile") await profile(names[0]);
else await compare([mode, ...names].filter((name) => name in CASES));

/** The time of a client's step in this process, and the memory that it took at most. */
async function measure(name, beforeClosing = () => {}) {
  const { operator, shapes, batch } = CASES[name];
  const random = stream(1, "bench");
  const floats = (shape) => Float32Array.from({ length: batch * fieldSize(shape) }, () => random.uniform());
  const training = operator.training({
    samples: batch,
    inputs: floats(shapes.inputs),
    responses: floats(shapes.responses),
  });
  const executable = await onnxBackend.compile(
    clientProgram(training, OPTIONS, { steps: STEPS, rows: batch }),
  );
  hold(executable, training);
  const optimizer = adam();
  let parameters = operator.initial(stream(1, "model"));
  const zeros = optimizer.stateVectors.map((name) => [
    `clients.${name}`,
    new Float32Array(parameters.length),
  ]);
  let state = Object.fromEntries(zeros);
  const indices = Int32Array.from({ length: STEPS * batch }, (_, i) => i % batch);
  const weights = new Float32Array(STEPS * batch).fill(1 / batch);
  let taken = 0;
  const take = async () => {
    const ofSteps = Array.from({ length: STEPS }, () => optimizer.coefficients(++taken));
    const coefficients = ofSteps[0].map((_, i) => [
      `coefficient ${i}`,
      Float64Array.from(ofSteps, (of) => of[i]),
    ]);
    const out = await executable.run({
      indices,
      weights,
      "server.parameters": parameters,
      ...Object.fromEntries(coefficients),
      ...state,
    });
    parameters = out.local;
    state = Object.fromEntries(Object.keys(state).map((name) => [name, out[`new ${name}`]]));
  };
  await take();
  let best = Infinity;
  const began = performance.now();
  for (let turn = 0; turn < TURNS || performance.now() - began < SHORTEST; turn++) {
    const start = performance.now();
    await take();
    best = Math.min(best, (performance.now() - start) / STEPS);
  }
  beforeClosing();
  await executable.close();
  const gigabytes = process.resourceUsage().maxRSS / 2 ** 20;
  return { milliseconds: best, gigabytes, parameters: parameters.length, steps: taken };
}

/** Milliseconds a step by operation, and the slowest ones with their shapes. */
async function profile(name) {
  let steps = 0;
  const byType = new Map();
  const byShape = new Map();
  const operations = await timedOperations(async (beforeClosing) => {
    ({ steps } = await measure(name, beforeClosing));
  });
  for (const operation of operations) {
    const key = `${operation.name} ${operation.operands.map((shape) => `[${shape}]`).join(" ")}`;
    const milliseconds = operation.microseconds / 1000 / steps;
    byType.set(operation.name, (byType.get(operation.name) ?? 0) + milliseconds);
    byShape.set(key, (byShape.get(key) ?? 0) + milliseconds);
  }
  const slowest = (times) => [...times].sort(([, a], [, b]) => b - a).slice(0, 30);
  for (const times of [byType, byShape])
    for (const [what, milliseconds] of slowest(times)) console.log(milliseconds.toFixed(2).padStart(9), what);
}

async function compare(chosen) {
  console.log("ms per training step (forward, backward, Adam); lower is better");
  for (const name of chosen.length > 0 ? chosen : Object.keys(CASES)) {
    const times = { one: [], pair: [], torch1: [], torch2: [], jax: [] };
    let memory = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const alone = await ours(name);
      memory = Math.max(memory, alone.gigabytes);
      times.one.push(alone.milliseconds);
      const pair = await Promise.all([ours(name), ours(name)]);
      times.pair.push(Math.max(...pair.map(({ milliseconds }) => milliseconds)) / 2);
      for (const threads of [1, 2]) {
        const found = await peer("models_torch.py", name, `${threads}`);
        if (found) times[`torch${threads}`].push(found.milliseconds);
      }
      const found = await peer("models_jax.py", name);
      if (found) times.jax.push(found.milliseconds);
    }
    const best = (key) => Math.min(...times[key]);
    const beside = (peer, key, own) =>
      times[key].length > 0 ? `, ${peer} ${ms(best(key))} (${(best(key) / best(own)).toFixed(2)}x)` : "";
    console.log(
      `${name}: one thread ${ms(best("one"))}${beside("PyTorch", "torch1", "one")}; two processes side by side ` +
        `${ms(best("pair"))}${beside("PyTorch", "torch2", "pair")}${beside("JAX", "jax", "pair")} with two threads; ` +
        `peak memory ${memory.toFixed(2)} GB`,
    );
  }
}

/** Three digits, whole numbers from 100 on. */
function ms(milliseconds) {
  return milliseconds < 100 ? milliseconds.toPrecision(3) : milliseconds.toFixed(0);
}

function ours(name) {
  return json(process.execPath, [SELF, "--run", name]);
}
