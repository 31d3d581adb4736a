import { readdirSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { fieldSize } from "../../src/datasets/fields.js";
import { readHalf } from "../../src/datasets/files/labelled-file.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const SMALL = ["--alpha", "1", "--clients", "2", "--rounds", "2"];
const YAML = `name: own
tasks: [{ task: antiderivative, data: DATA }]
alphas: [100]
seeds: [0, 1]
federation: { clients: 2, rounds: 2 }
`;

/** The three ways of a run: alone, in a process of a study, and as a replica. */
const WAYS = {
  train: (name: string, ...more: string[]) =>
    run("train", "antiderivative", ...SMALL, "--data", `${name}.h5`, "--quiet", ...more),
  "study --jobs 1": (name: string) => study(name, "--jobs", "1"),
  "study --replicas 2": (name: string) => study(name, "--replicas", "2"),
};

function study(name: string, ...how: string[]) {
  writeFileSync(path(`${name}.yaml`), YAML.replace("DATA", `${name}.h5`));
  return run("study", `${name}.yaml`, "--out", `${name}${how[0]}`, ...how, "--quiet");
}

type Array = "train/inputs" | "train/responses" | "test/inputs" | "test/responses";

/** The good data as `name`.h5 in float64, with one array changed. */
async function change(name: string, changed: Array, number: (value: number, i: number) => number) {
  const datasets: Record<string, { shape: readonly number[]; values: Float64Array }> = {};
  for (const split of ["train", "test"] as const) {
    const fields = await readHalf(path("good.h5"), split);
    for (const kind of ["inputs", "responses"] as const) {
      const { samples, shape } = fields[kind];
      const values = Float64Array.from(await fields[kind].read(0, samples));
      expect(values.length).toBe(samples * fieldSize(fields[kind]));
      const own = changed === `${split}/${kind}` ? values.map(number) : values;
      datasets[`/${split}/${kind}`] = { shape: [samples, ...shape], values: own };
    }
  }
  const attributes = { task: "antiderivative", origin: "imported from a test" };
  await writeHdf5(path(`${name}.h5`), { attributes, datasets });
}

beforeAll(async () => {
  await run("generate", "antiderivative", "--train", "64", "--test", "8", "--out", "good.h5", "--quiet");
  await change("nan", "test/responses", (value, i) => (i === 205 ? Number.NaN : value));
  await change("zeros", "test/responses", () => 0);
  await change("tiny", "train/responses", (value) => value * 1e-30);
  await change("large", "train/responses", (value) => value * 1e19);
  await change("larger", "train/responses", (value) => value * 1e39);
  await change("huge", "train/inputs", (value, i) => (i === 3 ? 1e300 : value));
  await change("shifted", "train/responses", (value) => value + 1e9);
});

describe.each(Object.entries(WAYS))("%s", (_, carryOut) => {
  it.each([
    ["nan", /the test responses of nan\.h5 have NaN in sample 2, position \[5\]: values must be finite/],
    ["zeros", /the test responses of zeros\.h5 are all 0/],
    [
      "tiny",
      /the training responses of tiny\.h5 have a root mean square of \d\.\de-31, .*--normalise standard/,
    ],
    ["large", /the training responses of large\.h5 have a root mean square of \d\.\de\+1[89], /],
    ["larger", /the training responses of larger\.h5 have .*e\+3\d in sample .* exceeds float32's range/],
    [
      "huge",
      /the training inputs of huge\.h5 have 1e\+300 in sample 0, position \[3\], which exceeds float32's range/,
    ],
  ])("names what is wrong with %s data, and blames no rate", async (name, message) => {
    const { status, stdout, stderr } = await carryOut(name);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/diverged|smaller learning rate/);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it("warns once of responses that lose their digits in float32, with how many are left", async () => {
    const { stderr } = await carryOut("shifted");
    const warnings = stderr.split("\n").filter((line) => line.includes("warning"));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^pde-dirichlet: warning: the training responses of shifted\.h5 differ by about 0\.\d+ around a mean of 1\.0e\+9: float32 keeps 0 of 7 digits of the differences; normalise them/,
      ),
    ]);
  });
});

describe("train", () => {
  it("does not warn of an offset that is taken away in float64", async () => {
    const { status, stderr } = await WAYS.train("shifted", "--normalise", "standard");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("says that Adam at a rate of 10 diverged, whether the run is kept or not", async () => {
    const wild = ["train", "antiderivative", "--alpha", "0.1", "--train", "240", "--test", "50"];
    for (const more of [[], ["--out", "wild"]]) {
      const { status, stdout, stderr } = await run(
        ...wild,
        "--rounds",
        "30",
        "--rate",
        "10",
        "--quiet",
        ...more,
      );
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(
        /diverged before round 30 \(its test error is \d{4,5} %\): use a smaller learning rate\n$/,
      );
    }
    expect(readdirSync(path("wild/runs"))).toHaveLength(1);
  });
});

describe("a run whose clients are trained one after another", () => {
  it("says that it diverged too", async () => {
    const small = ["--alpha", "0.1", "--train", "240", "--test", "50", "--rounds", "5"];
    const { status, stderr } = await run("train", "burgers", ...small, "--rate", "10", "--quiet");
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /diverged before round 5 \(its test error is \d{3} %\): use a smaller learning rate\n$/,
    );
  });
});

describe("study", () => {
  it.each([
    ["--jobs", "2"],
    ["--replicas", "2"],
  ])("says with %s that runs diverged", async (...how) => {
    writeFileSync(path("wild.yaml"), YAML.replace("data: DATA", "train: 240, test: 50"));
    const changed = ["--set", "optimizer={name: adam, rate: 10}", "--set", "federation.rounds=30"];
    const { status, stderr } = await run(
      "study",
      "wild.yaml",
      "--out",
      `wild${how[0]}`,
      ...how,
      ...changed,
      "--quiet",
    );
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /2 of 2 runs failed, the first: run \S+ diverged before round 30 \(its test error is /,
    );
  });
});
