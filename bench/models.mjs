/**
 * Milliseconds per training step of the convolutional models: forward, gradients of the mean square and Adam, batch 16,
 * random data. One process with one thread, and two such processes side by side, beside PyTorch with one thread and with
 * two where Python has it. Needs a build; Python is the one that PDE_DIRICHLET_PYTHON names, or python3.
 *
 * Machines are noisy: everybody takes turns, and the fastest turn counts. Arguments: names of cases; all by default.
 * `--profile case` shows where the time goes, by operations of ONNX Runtime.
 */
import { fileURLToPath } from "node:url";
import { gradient } from "../dist/engine/gradient.js";
import { onnxBackend } from "../dist/engine/onnx/onnx-backend.js";
import { add, multiply, slice, subtract, sum } from "../dist/engine/operations.js";
import { adam } from "../dist/engine/optimizers.js";
import { Program } from "../dist/engine/program.js";
import { fno2d, fno2dLayout, initialFno2d } from "../dist/models/fno2d.js";
import { initialInversionNet, inversionNet, inversionNetLayout } from "../dist/models/inversion-net.js";
import { joined, weightsOf } from "../dist/models/parameter-layout.js";
import { stream } from "../dist/random/stream.js";
import { timedOperations } from "./onnx-profile.mjs";
import { json, peer } from "./processes.mjs";

const SELF = fileURLToPath(import.meta.url);
const BATCH = 16;
const TURNS = 3;
const STEPS = 4;
const FNO2D = { layout: fno2dLayout, initial: initialFno2d, model: fno2d };
const INVERSION_NET = { layout: inversionNetLayout, initial: initialInversionNet, model: inversionNet };
const inversion = (time) => ({
  ...INVERSION_NET,
  sizes: { time },
  input: [5, time, 70],
  output: [1, 70, 70],
  together: 2,
});
const CASES = {
  fno2d: {
    ...FNO2D,
    sizes: { inputs: 1, outputs: 1 },
    input: [1, 64, 64],
    output: [1, 64, 64],
    together: 16,
  },
  "inversion-net-1000": inversion(1000),
  "inversion-net-250": inversion(250),
};

const [mode, ...names] = process.argv.slice(2);
if (mode === "--run") console.log(JSON.stringify(await measure(names[0])));
else if (mode === "--profile") await profile(names[0]);
else await compare([mode, ...names].filter((name) => name in CASES));

/**
 * A training step as a program that carries its state. Gradients are summed over `together` samples at a time, whose
 * activations stay closer to the core, and joined before they are summed, so that one part is finished before the next.
 */
function trainingStep({ layout, model, sizes, input, output, together }) {
  const program = new Program();
  const blocks = layout(sizes);
  const count = blocks.reduce((total, { size }) => total + size, 0);
  const optimizer = adam();
  const parameters = program.input("parameters", [count]);
  const moments = ["first", "second"].map((name) => program.input(name, [count]));
  const coefficients = ["rate", "epsilon"].map((name) => program.input(name, []));
  const inputs = program.input("inputs", [BATCH, ...input]);
  const targets = program.input("targets", [BATCH, ...output]);
  const weights = weightsOf(parameters, blocks);
  const losses = [];
  const slopes = [];
  for (let start = 0; start < BATCH; start += together) {
    const some = (x) => slice(x, 0, start, start + together);
    const residuals = subtract(model(weights, some(inputs), sizes), some(targets));
    losses.push(multiply(sum(multiply(residuals, residuals)), 1 / targets.shape.reduce((x, y) => x * y)));
    slopes.push(joined(gradient(losses.at(-1), Object.values(weights))));
  }
  const loss = losses.reduce(add);
  const whole = slopes.reduce(add);
  const next = optimizer.update(parameters, whole, moments, coefficients);
  program.output("loss", loss);
  program.output("next parameters", next.parameters);
  program.output("next first", next.state[0]);
  program.output("next second", next.state[1]);
  program.carry("next parameters", "parameters");
  program.carry("next first", "first");
  program.carry("next second", "second");
  return program;
}

/** The time of a step in this process, and the memory that it took at most. */
async function measure(name, beforeClosing = () => {}) {
  const chosen = CASES[name];
  const executable = await onnxBackend.compile(trainingStep(chosen));
  const random = stream(1, "bench");
  const floats = (shape) =>
    Float32Array.from({ length: BATCH * shape.reduce((a, b) => a * b, 1) }, () => random.uniform());
  const parameters = chosen.initial(chosen.sizes, stream(1, "model"));
  executable.write("parameters", parameters);
  adam()
    .init(parameters.length)
    .forEach((moment, i) => {
      executable.write(["first", "second"][i], moment);
    });
  executable.write("inputs", floats(chosen.input));
  executable.write("targets", floats(chosen.output));
  let step = 0;
  const take = () => {
    const [rate, epsilon] = adam().coefficients(++step);
    return executable.run({ rate: Float32Array.of(rate), epsilon: Float32Array.of(epsilon) });
  };
  await take();
  let best = Infinity;
  for (let turn = 0; turn < TURNS; turn++) {
    const start = performance.now();
    for (let i = 0; i < STEPS; i++) await take();
    best = Math.min(best, (performance.now() - start) / STEPS);
  }
  beforeClosing();
  await executable.close();
  const gigabytes = process.resourceUsage().maxRSS / 2 ** 20;
  return { milliseconds: best, gigabytes, parameters: parameters.length };
}

/** Milliseconds a step by operation, and the slowest ones with their shapes. */
async function profile(name) {
  const steps = 1 + TURNS * STEPS;
  const byType = new Map();
  const byShape = new Map();
  for (const operation of await timedOperations((beforeClosing) => measure(name, beforeClosing))) {
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
  console.log("ms per training step (forward, backward, Adam), batch 16; lower is better");
  for (const name of chosen.length > 0 ? chosen : Object.keys(CASES)) {
    const times = { one: [], pair: [], torch1: [], torch2: [] };
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
    }
    const best = (key) => Math.min(...times[key]);
    const beside = (key, own) =>
      times[key].length > 0
        ? `, PyTorch ${best(key).toFixed(0)} (${(best(key) / best(own)).toFixed(2)}x)`
        : "";
    console.log(
      `${name}: one thread ${best("one").toFixed(0)}${beside("torch1", "one")}; two processes side by side ` +
        `${best("pair").toFixed(0)}${beside("torch2", "pair")} with two threads; peak memory ${memory.toFixed(2)} GB`,
    );
  }
}

function ours(name) {
  return json(process.execPath, [SELF, "--run", name]);
}
