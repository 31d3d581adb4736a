/**
 * Copies what a page of docs/results is written from out of the folder of a study: the seed-level table, and the client of
 * every sample of every run. Parameters and models of the runs stay behind.
 *
 *   node scripts/deposit.mjs out/partitioners partitioners
 *
 * Needs a build.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bytesInMemory, openNpz, writeNpz } from "pde-dirichlet";

/** Copies the records of a study to docs/results/records/<name>, and returns that folder. */
export async function deposit(study, name) {
  const records = fileURLToPath(new URL(`../docs/results/records/${name}/`, import.meta.url));
  mkdirSync(records, { recursive: true });
  copyFileSync(join(study, "records.parquet"), join(records, "records.parquet"));
  const clients = {};
  for (const id of readdirSync(join(study, "runs"))) {
    const arrays = await openNpz(bytesInMemory(readFileSync(join(study, "runs", id, "arrays.npz")), id));
    const array = await arrays.array("client_of_sample");
    clients[id] = Uint8Array.from(await array.read(0, array.rows));
  }
  writeFileSync(join(records, "partitions.npz"), writeNpz(clients));
  return records;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await deposit(process.argv[2], process.argv[3]);
