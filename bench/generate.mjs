/** The paper's datasets at their full sizes, on all cores, without the cache. Needs a build. */
import { availableParallelism } from "node:os";
import { generateInThreads } from "../dist/datasets/generate-threads.js";
import { taskOf } from "../dist/datasets/tasks.js";

const SETS = [
  { task: "antiderivative" },
  { task: "diffusion-reaction" },
  { task: "burgers", parameters: { viscosity: 0.1 } },
  { task: "burgers", parameters: { viscosity: 0.05 } },
  { task: "burgers", parameters: { viscosity: 0.01 } },
  { task: "darcy" },
  { task: "darcy", parameters: { variant: "pdebench-like" } },
  { task: "dam-break" },
  { task: "cylinder" },
  { task: "flat-velocity" },
];

console.log(`Generating on ${availableParallelism()} threads`);
for (const set of SETS) {
  const start = performance.now();
  await generateInThreads({ ...set, seed: 0 });
  const seconds = (performance.now() - start) / 1000;
  const { train, test } = taskOf(set.task);
  const chosen = Object.entries(set.parameters ?? {}).map(([name, value]) => `${name} ${value}`);
  console.log(`${[set.task, ...chosen].join(", ")}: ${train + test} samples in ${seconds.toFixed(1)} s`);
}
