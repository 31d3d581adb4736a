/**
 * Copies what docs/results/navier-stokes.md is written from out of the folder of the study and its data:
 *
 *   node scripts/deposit-navier-stokes.mjs out/navier-stokes examples/navier-stokes/ns.npz
 *
 * Parameters and models of the runs stay behind. Needs a build.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bytesInMemory, openNpz, writeNpz } from "pde-dirichlet";
import { openFile } from "pde-dirichlet/node";

const SAMPLES = 3;
const RECORDS = fileURLToPath(new URL("../docs/results/records/navier-stokes/", import.meta.url));
const [study, data] = process.argv.slice(2);

mkdirSync(RECORDS, { recursive: true });
copyFileSync(join(study, "records.parquet"), join(RECORDS, "records.parquet"));
const clients = {};
for (const id of readdirSync(join(study, "runs"))) {
  mkdirSync(join(RECORDS, "runs", id), { recursive: true });
  for (const name of ["run.json", "journal.jsonl"])
    copyFileSync(join(study, "runs", id, name), join(RECORDS, "runs", id, name));
  const arrays = await openNpz(bytesInMemory(readFileSync(join(study, "runs", id, "arrays.npz")), id));
  const array = await arrays.array("client_of_sample");
  clients[id] = Uint8Array.from(await array.read(0, array.rows));
}
writeFileSync(join(RECORDS, "partitions.npz"), writeNpz(clients));

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
writeFileSync(join(RECORDS, "samples.npz"), writeNpz(samples));
await file.close();

const convergence = fileURLToPath(new URL("../examples/navier-stokes/convergence.mjs", import.meta.url));
writeFileSync(join(RECORDS, "convergence.json"), execFileSync(process.execPath, [convergence]));
