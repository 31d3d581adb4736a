/** The paper's controlled datasets at their full sizes, on all cores, without the cache. Needs a build. */
import { availableParallelism } from "node:os";
import { generateInThreads } from "../dist/datasets/generate-threads.js";
import { CONTROLLED_TASKS } from "../dist/datasets/tasks.js";

const SETS = [
  { task: "antiderivative" },
  { task: "diffusion-reaction" },
  { task: "burgers", viscosity: 0.1 },
  { task: "burgers", viscosity: 0.05 },
  { task: "burgers", viscosity: 0.01 },
];

console.log(`Generating on ${availableParallelism()} threads`);
for (const set of SETS) {
  const start = performance.now();
  await generateInThreads({ ...set, seed: 0 });
  const seconds = (performance.now() - start) / 1000;
  const { train, test } = CONTROLLED_TASKS[set.task];
  const name = set.viscosity === undefined ? set.task : `${set.task}, viscosity ${set.viscosity}`;
  console.log(`${name}: ${train + test} samples in ${seconds.toFixed(1)} s`);
}
