import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { writeNpy, writeNpz } from "../../src/index.js";
import { BIN, workFolder } from "./command.js";

const { folder, path, run } = workFolder();
const SAMPLES = 60;
const SIZE = 5;

function responses(change: (values: Float64Array) => void = () => {}): Uint8Array {
  const values = Float64Array.from({ length: SAMPLES * SIZE }, (_, i) => Math.sin(i * 12.9898) * 43.7);
  change(values);
  return writeNpy(values, [SAMPLES, SIZE]);
}

beforeAll(() => {
  writeFileSync(path("good.npy"), responses());
  writeFileSync(
    path("nan.npy"),
    responses((values) => values.fill(Number.NaN, 37, 38)),
  );
  writeFileSync(
    path("infinite.npy"),
    responses((values) => values.fill(Infinity, 12, 13)),
  );
  writeFileSync(
    path("constant.npy"),
    responses((values) => values.fill(3)),
  );
  writeFileSync(
    path("tiny.npy"),
    responses((values) =>
      values.forEach((value, i) => {
        values[i] = value * 1e-200;
      }),
    ),
  );
  writeFileSync(
    path("repeated.npy"),
    responses((values) =>
      values.forEach((_, i) => {
        values[i] = Math.floor(i / SIZE) % 4;
      }),
    ),
  );
  writeFileSync(path("truncated.npy"), responses().subarray(0, 700));
  writeFileSync(path("truncated.h5"), Buffer.from([0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0]));
  writeFileSync(path("foreign.dat"), "Dear diary,\nthis is no array.\n");
  writeFileSync(path("foreign.h5"), "Dear diary,\nthis is no HDF5.\n");
  writeFileSync(
    path("inputs.npy"),
    writeNpy(
      new Float64Array(59 * 2).map((_, i) => i),
      [59, 2],
    ),
  );
  writeFileSync(path("two.npz"), writeNpz({ a: new Float64Array(4), b: new Float64Array(4) }));
  writeFileSync(path("twice.json"), '{"0": [0, 1, 2], "1": [2, 3]}');
  writeFileSync(path("counts.csv"), "1,2,3\n4,5,6\n");
  writeFileSync(path("cost.csv"), "0,1\n1,0\n");
  mkdirSync(path("closed"));
  chmodSync(path("closed"), 0o500);
});

const base = ["--clients", "4", "--min-size", "4", "--out", "out.json"];
const partition = (data: string, ...rest: string[]) => [
  "partition",
  data,
  ...base,
  "--alpha",
  "0.5",
  ...rest,
];

describe("bad input", () => {
  it.each([
    ["a NaN", partition("nan.npy"), /finite, but there is NaN in sample 7, position \[2\]/],
    ["an infinite value", partition("infinite.npy"), /Infinity in sample 2, position \[2\]/],
    ["constant responses", partition("constant.npy"), /all 60 responses are equal \(s_u = 0\)/],
    [
      "more bins than distinct responses",
      partition("repeated.npy", "--bins", "5"),
      /4 distinct|distinct.* 4/,
    ],
    ["more bins than responses", partition("good.npy", "--bins", "61"), /60 responses cannot fill 61 bins/],
    [
      "too few samples",
      ["partition", "good.npy", "--clients", "10", "--alpha", "1", "--out", "out.json"],
      /60 samples cannot give 10 clients at least 16 each: a minimum size of 6 would do/,
    ],
    ["alpha = 0", ["partition", "good.npy", ...base, "--alpha", "0"], /alpha .* not 0/],
    ["a negative alpha", ["partition", "good.npy", ...base, "--alpha", "-1"], /alpha .* not -1/],
    [
      "an alpha that is no number",
      ["partition", "good.npy", ...base, "--alpha", "much"],
      /"much" is not a number/,
    ],
    ["neither alpha nor target", ["partition", "good.npy", ...base], /--alpha or --target-distance/],
    [
      "both alpha and target",
      partition("good.npy", "--target-distance", "1"),
      /--alpha or --target-distance/,
    ],
    ["a truncated NPY file", partition("truncated.npy"), /truncated\.npy/],
    ["a truncated HDF5 file", partition("truncated.h5"), /truncated\.h5/],
    ["a foreign file", partition("foreign.dat"), /foreign\.dat is no file of arrays that is known here/],
    ["a foreign file that is called HDF5", partition("foreign.h5"), /foreign\.h5/],
    ["a missing file", partition("missing.h5"), /missing\.h5/],
    [
      "an archive with two arrays and no name",
      partition("two.npz"),
      /name the responses of two\.npz with --responses: it has a \(\d[\d x]*\), b \(\d[\d x]*\)/,
    ],
    ["a name that the archive has not", partition("two.npz", "--responses", "c"), /no array "c"/],
    [
      "inputs of another length",
      partition("good.npy", "--inputs", "inputs.npy"),
      /60 responses but 59 inputs/,
    ],
    [
      "a figure of an unknown kind",
      partition("good.npy", "--figure", "p.bmp"),
      /--figure ends in \.svg, \.png or \.pdf/,
    ],
    ["an unknown option", partition("good.npy", "--beta", "1"), /unknown option '--beta'/],
    [
      "a misspelt option",
      partition("good.npy", "--alpa", "1"),
      /^pde-dirichlet: unknown option '--alpa': did you mean --alpha\?$/m,
    ],
    [
      "a number of bins for bins that exist",
      partition("good.npy", "--bins", "3", "--bins-from", "p.json"),
      /--bins-from brings its own number of bins/,
    ],
    [
      "an output of another kind",
      ["partition", "good.npy", "--alpha", "1", "--out", "x.txt"],
      /--out x\.txt: a partition is a \.json file with a \.npz file beside it: name the \.json, or a folder/,
    ],
    [
      "the arrays' file as output",
      ["partition", "good.npy", "--alpha", "1", "0.1", "--out", "y.npz"],
      /--out y\.npz: a partition is a \.json/,
    ],
    ["a name for the only array", partition("good.npy", "--responses", "u"), /leave out --responses/],
    [
      "more samples than a file holds",
      ["generate", "burgers", "--train", "1e12", "--out", "n.h5"],
      /at most/,
    ],
    [
      "a misspelt command",
      ["partiton", "good.npy"],
      /^pde-dirichlet: unknown command 'partiton': did you mean partition\?$/m,
    ],
    [
      "a seed that is too large",
      partition("good.npy", "--seed", "12345678901234567890"),
      /"12345678901234567890" is too large: the largest is 9007199254740991/,
    ],
    [
      "responses that are too small to be told apart",
      partition("tiny.npy"),
      /differ so little .* squares of differences underflow: use a smaller unit, or multiply/,
    ],
    [
      "fewer samples than clients",
      ["partition", "good.npy", "--clients", "70", "--alpha", "1", "--out", "out.json"],
      /60 samples cannot give 70 clients at least 16 each: take at most 60 clients and a minimum size of 1$/m,
    ],
    ["an unknown command", ["divide", "good.npy"], /unknown command 'divide'/],
    ["a command that JavaScript knows", ["constructor", "good.npy"], /unknown command 'constructor'/],
    [
      "an output that is the data",
      ["partition", "two.npz", "--responses", "a", "--alpha", "1", "--out", "two.json", "--force"],
      /two\.npz is also read: choose another --out/,
    ],
    [
      "a diagnosis in the place of the partition",
      ["diagnose", "good.npy", "--partition", "twice.json", "--out", "twice.json", "--force"],
      /twice\.json is also read/,
    ],
    ["bins from a file without any", partition("good.npy", "--bins-from", "twice.json"), /no bins to reuse/],
    ["an index that two clients hold", ["diagnose", "good.npy", "--partition", "twice.json"], /twice\.json/],
    [
      "counts and costs that disagree",
      ["diagnose", "--counts", "counts.csv", "--cost", "cost.csv"],
      /3 bins, but cost\.csv has 2/,
    ],
    ["counts without costs", ["diagnose", "--counts", "counts.csv"], /--centroids or --cost/],
    [
      "an export of something else",
      ["export", "counts.csv", "--format", "csv"],
      /counts\.csv is another tool.s partition: name its data with --data/,
    ],
    ["an unknown format", ["export", "twice.json", "--format", "tff"], /Allowed choices/],
    ["an unknown task", ["generate", "navier", "--out", "n.h5"], /Allowed choices/],
    ["no output", ["generate", "burgers"], /--out/],
  ])("%s is told in one line, with a failing status and nothing written", async (_, args, message) => {
    const before = readdirSync(folder).sort();
    const outcome = await run(...args, "--quiet");
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(outcome.status).not.toBe(0);
    expect(outcome.stdout).toBe("");
    expect(readdirSync(folder).sort()).toEqual(before);
  });

  it("an output folder that cannot be made is told before the work", async () => {
    writeFileSync(path("file"), "");
    const outcome = await run(
      "partition",
      "good.npy",
      "--clients",
      "4",
      "--min-size",
      "4",
      "--alpha",
      "1",
      "--out",
      "file/p.json",
    );
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toMatch(/^pde-dirichlet: .*file is a file, not a folder\n$/);
  });

  it.skipIf(process.getuid?.() === 0)("an output folder without permission is told", async () => {
    const outcome = await run(
      "partition",
      "good.npy",
      "--clients",
      "4",
      "--min-size",
      "4",
      "--alpha",
      "1",
      "--out",
      "closed/p.json",
    );
    expect(outcome.status).toBe(1);
    expect(readdirSync(path("closed"))).toEqual([]);
  });

  it("a reader of progress that goes away stops nothing", async () => {
    const child = spawn(process.execPath, [BIN, ...partition("good.npy")], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    child.stderr.destroy();
    const [status] = await once(child, "exit");
    expect(status).toBe(0);
    expect(readdirSync(folder)).toContain("out.json");
    for (const name of ["out.json", "out.npz"]) rmSync(path(name));
  });

  it("--debug shows the stack", async () => {
    const outcome = await run(...partition("constant.npy"), "--debug", "--quiet");
    expect(outcome.stderr).toMatch(/DataError: [^\n]+\n\s+at /);
  });
});
