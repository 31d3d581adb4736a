import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { workFolder } from "./command.js";

const { folder, path, run } = workFolder();
/** Files in the layouts of the downloads: scripts/golden/import.py. */
const golden = (name: string) => join(import.meta.dirname, "../golden/import", name);
const words = (text: string) => text.split(" ");

const DARCY = ["import", "pdebench-darcy", golden("darcy-compressed.hdf5"), ...words("--train 8 --test 4")];
const DAM_BREAK = [
  ...["import", "pdebench-dam-break", golden("dam-break-contiguous.h5")],
  ...words("--train 4 --test 2 --input-frames 2 --target-frame 3 --grid 4"),
];
const CYLINDER = [
  ...["import", "cfdbench-cylinder", golden("cylinder/bc"), golden("cylinder/geo.zip")],
  ...[golden("cylinder/prop.zip"), ...words("--train 5 --test 3 --time-step 3 --skip-short")],
];
const OPENFWI = ["import", "openfwi", golden("openfwi"), ...words("--train 6 --test 2 --time-stride 2")];

describe("import", () => {
  it.each([
    ["darcy", DARCY, "8 training and 4 test samples, imported from PDEBench", "8 x 8 -> responses 8 x 8"],
    ["dam-break", DAM_BREAK, "4 training and 2 test", "2 x 4 x 4 -> responses 1 x 4 x 4"],
    ["cylinder", CYLINDER, "5 training and 3 test", "2 x 8 x 6 -> responses 2 x 8 x 6"],
    ["flat-velocity", OPENFWI, "6 training and 2 test", "5 x 5 x 6 -> responses 6 x 6"],
  ])("writes a dataset of %s that partition takes", async (task, args, counts, shapes) => {
    const outcome = await run(...args, "--seed", "3", "--out", `${task}.h5`);
    expect(outcome).toMatchObject({ status: 0 });
    expect(outcome.stderr).toMatch(/^Importing .*, seed 3: \d+ of \d+ samples/);
    expect(outcome.stdout).toContain(`${task}.h5: ${counts}`);
    expect(outcome.stdout).toContain(`inputs ${shapes}, float32`);

    const split = words("--clients 2 --bins 2 --min-size 1 --alpha 1 --quiet --json");
    const partition = await run("partition", `${task}.h5`, ...split, "--out", `${task}.json`);
    expect(partition).toMatchObject({ status: 0, stderr: "" });
    const { metrics } = JSON.parse(partition.stdout).partitions[0];
    expect(metrics.d_sol).toBeGreaterThanOrEqual(0);
    expect(metrics.input_w1).toBeGreaterThan(0);
    const { data } = JSON.parse(readFileSync(path(`${task}.json`), "utf8"));
    expect(data).toMatchObject({ responses: "/train/responses", inputs: "/train/inputs" });
  });

  it("replaces a file only when told so, and never one that it reads", async () => {
    const outcome = await run(...DARCY, "--out", "darcy.h5");
    expect(outcome.stderr).toMatch(/darcy.h5 exists: .* --force/);
    mkdirSync(path("pair"));
    for (const name of ["data/data1.npy", "model/model1.npy"])
      writeFileSync(path(`pair/${name.split("/")[1]}`), readFileSync(golden(`openfwi/${name}`)));
    const inFolder = await run(
      "import",
      "openfwi",
      "pair",
      ...words("--train 2 --test 1 --force"),
      "--out",
      "pair/data1.npy",
    );
    expect(inFolder.stderr).toMatch(/pair\/data1.npy is also read/);
    expect(existsSync(path("pair/data1.npy"))).toBe(true);
  });

  it("explains itself", async () => {
    const { stdout, status } = await run("import", "--help");
    expect(status).toBe(0);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(110);
    expect(stdout).toMatch(/Formats:\n {2}pdebench-darcy +2D_DarcyFlow/);
  });
});

describe("an import that cannot be", () => {
  beforeAll(() => {
    const bytes = readFileSync(golden("darcy-contiguous.hdf5"));
    writeFileSync(path("cut.hdf5"), bytes.subarray(0, 5000));
  });

  it.each([
    ["a truncated file", ["pdebench-darcy", "cut.hdf5"], /cut.hdf5 is truncated: it has 5000 of \d+ bytes/],
    [
      "an option of another format",
      ["pdebench-darcy", golden("darcy-contiguous.hdf5"), "--time-stride", "2"],
      /pdebench-darcy has no option --time-stride; it has --grid/,
    ],
    [
      "rows that are no range",
      ["openfwi", golden("openfwi"), "--rows", "5"],
      /"5" is not a range of rows like 0:100/,
    ],
    ["a short case", ["cfdbench-cylinder", golden("cylinder/bc")], /0 of 5 cases are long enough/],
  ])("for %s is told in one line, and nothing is written", async (_, args, message) => {
    const before = readdirSync(folder).sort();
    const outcome = await run("import", ...args, "--out", "none.h5", "--quiet");
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(outcome).toMatchObject({ stdout: "" });
    expect(outcome.status).not.toBe(0);
    expect(readdirSync(folder).sort()).toEqual(before);
  });
});
