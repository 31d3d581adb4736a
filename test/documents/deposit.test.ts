import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { generate } from "../../src/datasets/generate.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { openNpz } from "../../src/files/npz.js";
import { partitionDataset } from "../../src/pipeline/partition-dataset.js";
import { readParquet } from "../../src/records/seed-table.js";

const RECORDS = join(import.meta.dirname, "../../docs/results/records");
const file = (folder: string, name: string) =>
  bytesInMemory(new Uint8Array(readFileSync(join(RECORDS, folder, name))), name);

async function deposited(folder: string) {
  const archive = await openNpz(file(folder, "partitions.npz"));
  return new Map(
    await Promise.all(
      archive.names.map(async (name) => {
        const array = await archive.array(name);
        return [name, Int32Array.from((await array.read(0, array.shape[0])) as Uint8Array)] as const;
      }),
    ),
  );
}

describe("the deposited partitions", () => {
  it.each(["paper", "public", "public-small", "darcy-pdebench", "navier-stokes", "partitioners"])(
    "are those of all runs of %s",
    async (folder) => {
      const clients = await deposited(folder);
      const runs = new Map(
        (await readParquet(file(folder, "records.parquet"))).map((row) => [row.run_id, row]),
      );
      expect([...clients.keys()].sort()).toEqual([...runs.keys()].sort());
      for (const [id, { settings, n_min, n_max }] of runs) {
        const sizes = new Array<number>(Number(settings.clients)).fill(0);
        for (const client of clients.get(id)!) sizes[client]++;
        expect([Math.min(...sizes), Math.max(...sizes)], id).toEqual([n_min, n_max]);
      }
    },
  );

  it("can be drawn again, also those that needed repair", async () => {
    const { train } = generate({ task: "antiderivative", seed: 42, test: 1 });
    const responses = fieldsInMemory(train.responses, train.samples, [100]);
    const clients = await deposited("paper");
    for (const alpha of [1, 0.01]) {
      const [, found] = [...clients].find(([id]) =>
        id.startsWith(`antiderivative-k-10-adam-alpha-${alpha}-seed-42-`),
      )!;
      const { partition } = await partitionDataset(
        { responses },
        { clients: 10, bins: 10, alpha, seed: 42, repair: "largest" },
      );
      expect(partition.repairs.length > 0).toBe(alpha === 0.01);
      expect(partition.clientOfSample).toEqual(found);
    }
  });
});
