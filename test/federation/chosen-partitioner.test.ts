import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { prepareData } from "../../src/federation/prepared-data.js";
import { runOptions } from "../../src/federation/run-options.js";
import { resolvePartitioner } from "../../src/federation/split/chosen-partitioner.js";
import { studyFolders } from "../studies/tiny-study.js";

studyFolders(); // a cache of its own

const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-clients-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("refuses a partition that changed after its run was planned", async () => {
  const file = join(folder, "theirs.csv");
  const write = (clients: number) =>
    writeFileSync(file, `client\n${Array.from({ length: 16 }, (_, i) => i % clients).join("\n")}\n`);
  const given = { task: "antiderivative", seed: 0, train: 16, test: 4, bins: 4 } as const;
  const partitioner = { name: "file", file };
  write(2);
  const planned = await resolvePartitioner({ partitioner, train: 16, bins: 4 });
  const options = runOptions({ ...given, ...planned });
  expect((await prepareData(options)).known?.clients?.clientNames).toEqual(["0", "1"]);
  writeFileSync(file, `client\n${Array.from({ length: 16 }, (_, i) => +(i < 8)).join("\n")}\n`);
  expect((await resolvePartitioner({ partitioner, train: 16 })).partitioner).not.toEqual(planned.partitioner);
  await expect(prepareData(options)).rejects.toThrow("theirs.csv has changed since the run was planned");
});
