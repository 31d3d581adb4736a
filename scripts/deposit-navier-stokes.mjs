/**
 * Copies what docs/results/navier-stokes.md is written from out of the folder of the study and its data:
 *
 *   node scripts/deposit-navier-stokes.mjs out/navier-stokes examples/navier-stokes/ns.npz
 *
 * Parameters and models of the runs stay behind. Needs a build.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openNpz, writeNpz } from "pde-dirichlet";
import { openFile } from "pde-dirichlet/node";
import { deposit } from "./deposit.mjs";

const SAMPLES = 3;
const [study, data] = process.argv.slice(2);

const records = await deposit(study, "navier-stokes");
for (const id of readdirSync(join(study, "runs"))) {
  mkdirSync(join(records, "runs", id), { recursive: true });
  for (const name of ["run.json", "journal.jsonl"])
    copyFileSync(join(study, "runs", id, name), join(records, "runs", id, name));
}

const file = await openFile(data);
const archive = await openNpz(file);
const first = async (name) => {
  const { shape, ...array } = await archive.array(name);
  const samples = shape.length > 1 ? SAMPLES : shape[0];
  return { values: await array.read(0, samples), shape: [samples, ...shape.slice(1)] };
};
const samples = Object.fromEntries(
  await Promise.all(archive.names.map(async (name) => [name, await first(name)])),
);
writeFileSync(join(records, "samples.npz"), writeNpz(samples));
await file.close();

const convergence = fileURLToPath(new URL("../examples/navier-stokes/convergence.mjs", import.meta.url));
writeFileSync(join(records, "convergence.json"), execFileSync(process.execPath, [convergence]));
