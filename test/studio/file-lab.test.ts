import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { inspectFile } from "../../src/datasets/files/inspect-file.js";
import { describeFile, openDataset } from "../../src/datasets/files/labelled-file.js";
import { toNumbers } from "../../src/files/ndarray.js";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";
import { commandsOf } from "../../src/studio/equivalent/commands.js";
import type { FileReading } from "../../src/studio/file-reading.js";
import { type DataFacts, type Lab, openLab, type SplitChoice } from "../../src/studio/lab/lab.js";
import { DEFAULT_SETTINGS, type StudioSettings } from "../../src/studio/settings.js";
import { workFolder } from "../cli/command.js";
import { matFile } from "../cli/mat-file.js";
import { navierStokes } from "../cli/own-fields.js";

const { path, run } = workFolder();
const OWN = join(import.meta.dirname, "../golden/own-data");

/** Files as a page has them. */
const given = (...names: readonly string[]) => ({
  text: names[0],
  files: names.map((name) => ({
    kind: "own" as const,
    name,
    file: new File([readFileSync(path(name))], name),
  })),
});

/** The words of a command line, without the quotes of a shell. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);

const SETTINGS: StudioSettings = {
  ...DEFAULT_SETTINGS,
  ...{ view: "clients", task: "", clients: 2, bins: 4, alpha: 0.3, seed: 5, min_size: 2 },
};

/** Runs the commands that the page offers; the last one is the split or the figure. */
async function runCommands(settings: StudioSettings, facts: DataFacts, out?: string) {
  const { origin, description } = facts;
  const lines = commandsOf(settings, { origin, description, minSize: settings.min_size });
  expect(lines).toHaveLength(1);
  const words = wordsOf(lines[0]).slice(1);
  const place = words.indexOf("--out") + 1;
  if (out !== undefined) words[place] = out;
  const outcome = await run(...words, "--force", ...(out === undefined ? ["--quiet"] : ["--json"]));
  expect(outcome.status, `${lines[0]}\n${outcome.stderr}`).toBe(0);
  return { line: lines[0], stdout: outcome.stdout, out: words[place] };
}

const lab: Lab = openLab();
const CHOICE: SplitChoice = {
  ...{ clients: 2, alpha: 0.3, seed: 5, minSize: 2, repair: "closest" },
  partitioner: { name: "dirichlet" },
};

beforeAll(async () => {
  for (const name of [
    "ns-files.npz",
    "ns-files.pt",
    "ns-files-v5.mat",
    "ns-files-v73.mat",
    "ns-channels-last.npz",
  ])
    cpSync(join(OWN, name), path(name));
  for (const name of ["scales.h5", "triple.npz", "volume.npz", "advection.hdf5"])
    cpSync(join(OWN, name), path(name));
  const { inputs, responses } = navierStokes(30, 6);
  const inMatlab = (values: Float64Array) =>
    // Samples last, the first axis fastest.
    ({
      shape: [6, 6, 30],
      values: Float64Array.from({ length: values.length }, (_, i) => {
        const [row, column, sample] = [i % 6, Math.floor(i / 6) % 6, Math.floor(i / 36)];
        return values[sample * 36 + row * 6 + column];
      }),
    });
  writeFileSync(path("last.mat"), matFile({ a: inMatlab(inputs), u: inMatlab(responses) }));
  writeFileSync(path("X.npy"), writeNpy(inputs, [30, 36]));
  writeFileSync(path("Y.npy"), writeNpy(responses, [30, 36]));
  writeFileSync(
    path("waves.npz"),
    writeNpz({
      u: {
        shape: [20, 9, 5],
        values: Float32Array.from({ length: 900 }, (_, i) => Math.sin(i / 7) + (i % 5) * Math.floor(i / 45)),
      },
      t: Float64Array.from({ length: 9 }, (_, i) => i / 4),
      kind: Float64Array.from({ length: 20 }, (_, i) => i % 4),
    }),
  );
});

const CASES: readonly (readonly [words: string, names: readonly string[], reading: FileReading])[] = [
  ["the file's own test half", ["scales.h5"], {}],
  ["DeepXDE's names", ["triple.npz"], {}],
  ["the last fifth for tests", ["ns-files.npz"], {}],
  ["PyTorch", ["ns-files.pt"], {}],
  ["MATLAB 5, compressed", ["ns-files-v5.mat"], {}],
  ["MATLAB 7.3", ["ns-files-v73.mat"], {}],
  ["frames chosen by slices", ["ns-files-v73.mat"], { inputs: "u[..., 0]", responses: "u[..., -1]" }],
  ["channels last", ["ns-channels-last.npz"], {}],
  ["all samples for training", ["ns-files.npz"], { test: "none" }],
  ["test samples at the beginning", ["ns-files.npz"], { test: "0:10" }],
  ["samples along the last axis", ["last.mat"], { sample_axis: "last" }],
  ["inputs in a file of their own", ["Y.npy", "X.npy"], { inputs: "X.npy" }],
  ["one array, which are responses alone", ["Y.npy"], {}],
  ["responses alone by name", ["ns-files.npz"], { responses: "u" }],
  ["windows of trajectories", ["waves.npz"], { inputs: "u", responses: "u", window: "2:1" }],
  ["windows further apart", ["waves.npz"], { inputs: "u", responses: "u", window: "2:1", window_step: 3 }],
  ["a plain layout of HDF5", ["advection.hdf5"], { layout: "plain" }],
  ["axes by name", ["volume.npz"], { axes: "x,y,z", input_axes: "x,y,z", channels: "none" }],
];

describe("data of a file in the lab", () => {
  it.each(CASES)(
    "are split as by the command that the page offers, bit for bit: %s",
    async (_, names, reading) => {
      const facts = await lab.open(given(...names), reading);
      await lab.bin({ bins: 4, seed: 5 });
      const made = await lab.split(CHOICE);
      const settings = { ...SETTINGS, file: names[0], reading };
      const { line, out } = await runCommands(settings, facts);
      const text = readFileSync(path(out), "utf8");
      const file = JSON.parse(text);
      expect([...made.clientOfSample], line).toEqual(file.client_of_sample);
      expect(made.counts).toEqual(file.counts);
      expect([...made.distances]).toEqual(file.client_distance.flat());
      const found = await lab.inputDistance();
      expect({
        ...made.metrics,
        ...(found && { input_w1: found.mean, input_w1_samples: found.samplesPerClient }),
      }).toEqual(file.metrics);
      const saved = await lab.partitionFile(CHOICE, "json");
      expect([saved.name, new TextDecoder().decode(saved.bytes)], line).toEqual([out, text]);
      expect(facts.isAlone).toBe(typeof file.metrics.input_w1 !== "number");
    },
  );

  it.each(CASES.filter(([words, , { test }]) => !words.includes("alone") && test !== "none"))(
    "have the samples of the library: %s",
    async (_, names, said: FileReading) => {
      const facts = await lab.open(given(...names), said);
      const choice = {
        ...(said.inputs !== undefined && { inputs: String(said.inputs).replace("X.npy", path("X.npy")) }),
        ...(said.responses !== undefined && { responses: String(said.responses) }),
        ...(said.test !== undefined && { test: String(said.test) }),
        ...(said.window !== undefined && { window: String(said.window) }),
        ...(said.window_step !== undefined && { windowStep: Number(said.window_step) }),
        ...(said.sample_axis !== undefined && { sampleAxis: "last" as const }),
        ...(said.layout !== undefined && { layout: "plain" as const }),
        ...(said.channels !== undefined && {
          channels: "none" as const,
          axes: ["x", "y", "z"],
          inputAxes: ["x", "y", "z"],
        }),
      };
      const dataset = await openDataset(await describeFile(path(names[0]), choice));
      try {
        const { sha256: _, ...description } = dataset.description;
        expect(facts.description).toEqual({ ...description, origin: expect.any(String) });
        for (const half of ["train", "test"] as const) {
          const { inputs, responses } = await dataset.read(half);
          for (const i of [0, responses.samples - 1]) {
            const { input, response } = await lab.sample(half, i);
            expect([...input!]).toEqual([...toNumbers(await inputs.read(i, i + 1))]);
            expect([...response]).toEqual([...toNumbers(await responses.read(i, i + 1))]);
          }
        }
      } finally {
        await dataset.close();
      }
    },
  );

  const SHOWN = [
    "the file's own",
    "the last fifth",
    "at the beginning",
    "last axis",
    "of their own",
    "of trajectories",
  ];
  it.each(CASES.filter(([words]) => SHOWN.some((part) => words.includes(part))))(
    "are shown by the command that the page offers: %s",
    async (_, names, reading) => {
      const facts = await lab.open(given(...names), reading);
      const halves = facts.description.test > 0 ? (["train", "test"] as const) : (["train"] as const);
      for (const half of halves) {
        const beyond = 1000; // the page shows the last one then
        const settings = {
          ...SETTINGS,
          view: "data" as const,
          half,
          sample: beyond,
          file: names[0],
          reading,
        };
        const { line, stdout } = await runCommands(settings, facts, `${half}.svg`);
        expect(line).toContain("show");
        const { samples, split: shown } = JSON.parse(stdout);
        const range = facts.origin.kind === "file" ? facts.origin.testRange : undefined;
        const before = range ? (half === "test" ? range[0] : range[0] === 0 ? range[1] : 0) : 0;
        expect(samples, line).toEqual([facts.description[half] - 1 + before]);
        expect(["train", "test"]).toContain(shown);
      }
    },
    60_000,
  );

  it("are split by the attributes of the training samples", async () => {
    const facts = await lab.open(given("waves.npz"), { responses: "u", test: "none" });
    await lab.bin({ bins: 4, seed: 5 });
    const made = await lab.split({
      ...{ clients: 4, seed: 5, minSize: 1, repair: "closest" },
      partitioner: { name: "by", by: "kind" },
    });
    expect([...made.clientOfSample]).toEqual(Array.from({ length: 20 }, (_, i) => i % 4));
    expect(facts.reading.join(" ")).toContain("There are no inputs");
  });

  it("have no command where none takes the training samples alone", async () => {
    const facts = await lab.open(given("ns-files.npz"), { test: "10:20" });
    expect(facts.description).toMatchObject({ train: 30, test: 10 });
    expect(facts.origin).not.toHaveProperty("partition");
    expect(commandsOf(SETTINGS, { origin: facts.origin })).toEqual([]);
  });

  it("are refused as on the command line, with the choices of `inspect`", async () => {
    await expect(lab.open(given("volume.npz"), {})).rejects.toThrow(
      /which axis of volume.npz holds channels/,
    );
    const { questions, choices } = await lab.inspect(given("volume.npz"), {});
    expect(questions[0]).toMatch(/which axis of volume.npz holds channels/);
    expect(choices).toEqual((await inspectFile(path("volume.npz"))).choices);
    await expect(lab.open(given("volume.npz"), { channels: "middle" })).rejects.toThrow(
      "--channels is one of first, last, none, not middle",
    );
    await expect(lab.open(given("ns-files.npz"), { responses: "w" })).rejects.toThrow(/has no array/);
    await expect(lab.open(given("ns-files.npz"), { window_step: 0 })).rejects.toThrow(
      "--window-step is a whole number",
    );
    await expect(lab.open(given("ns-files.npz"), { nonsense: 1 })).rejects.toThrow('not read by "nonsense"');
  });

  it("span what their values span", async () => {
    await lab.open(given("ns-files.npz"), { responses: "u[..., -1]", test: "none" });
    const { ranges, looked, samples } = await lab.ranges("train", "");
    expect([looked, samples]).toEqual([40, 40]);
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < 40; i++)
      for (const value of (await lab.sample("train", i)).response) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    const { low: least, high: largest, reach, most } = ranges["`response`"];
    expect([least, largest]).toEqual([low, high]);
    expect(reach).toBeLessThanOrEqual(Math.max(-low, high));
    expect(most[0]).toBeGreaterThanOrEqual(low);
    expect(most[1]).toBeLessThanOrEqual(high);
  });
});
