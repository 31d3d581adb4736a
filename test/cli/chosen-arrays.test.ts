import { readFileSync, writeFileSync } from "node:fs";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, describe, expect, it } from "vitest";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { type Hdf5NewDataset, writeHdf5 } from "../../src/files/hdf5-writer.js";
import { openNpz, writeNpz } from "../../src/files/npz.js";
import { permuted } from "../datasets/permuted.js";
import { texts } from "../figures/well-formed.js";
import { workFolder } from "./command.js";
import { matFile } from "./mat-file.js";

const { path, run } = workFolder();
const [SAMPLES, ROWS, COLUMNS, FRAMES] = [40, 8, 9, 6];
const SHAPE = [SAMPLES, FRAMES, ROWS, COLUMNS];

/** Smooth fields whose phase depends on the sample and the frame. */
const values = (phase: number, [samples, ...rest] = SHAPE): Float64Array => {
  const size = rest.reduce((a, b) => a * b, 1);
  return Float64Array.from({ length: samples * size }, (_, i) =>
    Math.sin(phase + 2.39996 * Math.floor(i / size) + 0.07 * (i % size)),
  );
};
const line = (length: number, step: number): Hdf5NewDataset => ({
  shape: [length],
  values: Float64Array.from({ length }, (_, i) => i * step),
});

beforeAll(async () => {
  const u = values(0);
  writeFileSync(path("u.npz"), writeNpz({ u: { values: u, shape: SHAPE } }));
  // MATLAB's first axis runs fastest, so the same samples are stored from the last axis on.
  writeFileSync(path("u.mat"), matFile({ u: { shape: SHAPE, values: permuted(u, SHAPE, [3, 2, 1, 0]) } }));
  for (const [i, from] of [0, SAMPLES / 2].entries()) {
    const part = SHAPE.slice(1).reduce((a, b) => a * b, 1);
    await writeHdf5(path(`part-${i}.h5`), {
      datasets: {
        "/u": {
          shape: [SAMPLES / 2, ...SHAPE.slice(1)],
          values: u.slice(from * part, (from + SAMPLES / 2) * part),
        },
      },
    });
  }
  const half = (samples: number, phase: number): Hdf5NewDataset => ({
    shape: [samples, FRAMES, ROWS],
    values: values(phase, [samples, FRAMES, ROWS]),
    axes: ["sample", "/grid/time", "/grid/y"],
  });
  await writeHdf5(path("halves.h5"), {
    datasets: {
      "/grid/time": line(FRAMES, 0.5),
      "/grid/y": line(ROWS, 2),
      "/p_train": half(SAMPLES, 0.3),
      "/p_test": half(5, 0.4),
      "/q_train": half(SAMPLES, 0.6),
      "/q_test": half(5, 0.7),
    },
  });
});

const CHOICE = ["--inputs", "u[:, 0]", "--responses", "u[:, 2:5:2, ::2]"];
const FILES = ["u.npz", "u.mat", "part-*.h5"];
const OPTIONS: Readonly<Record<string, readonly string[]>> = { "u.mat": ["--sample-axis", "first"] };

describe("export", () => {
  const exported = async (file: string, choice: readonly string[], folder: string) => {
    const made = await run(
      ...["partition", file, ...choice, "--alpha", "1", "--seed", "0", "--bins", "3", "--clients", "2"],
      ...["--min-size", "2", "--out", "p.json", "--force", "--quiet"],
    );
    expect(made).toMatchObject({ status: 0, stderr: "" });
    const done = await run(...["export", "p.json", "--format", "flower", "--data", file, "--out", folder]);
    expect(done).toMatchObject({ status: 0 });
    return done.stderr;
  };
  const rowsOf = async (file: string) =>
    parquetReadObjects({ file: new Uint8Array(readFileSync(path(file))).buffer });

  it("holds the chosen parts of arrays, whatever file they come from", async () => {
    const found = [];
    for (const file of FILES) {
      const folder = `flower-${FILES.indexOf(file)}`;
      await exported(file, [...CHOICE, ...(OPTIONS[file] ?? [])], folder);
      found.push(await rowsOf(`${folder}/train/client-00000.parquet`));
    }
    expect(found[1]).toEqual(found[0]);
    expect(found[2]).toEqual(found[0]);
    const [{ index, response, input }] = found[0];
    expect([response.length, response[0].length, response[0][0].length]).toEqual([2, ROWS / 2, COLUMNS]);
    const u = values(0);
    const at = (sample: number, frame: number, row: number, column: number) =>
      u[((sample * FRAMES + frame) * ROWS + row) * COLUMNS + column];
    expect(response[1][3][7]).toBe(at(Number(index), 4, 6, 7));
    expect(input[5][7]).toBe(at(Number(index), 0, 5, 7));
  });

  it("takes test samples and coordinates of the same choice along", async () => {
    const choice = ["--inputs", "p_train[:, 0], q_train[:, 0]", "--responses", "q_train[:, 3:, ::2]"];
    const words = await exported("halves.h5", choice, "halves");
    expect(words).toContain("40 training samples; 5 test samples; coordinates time, y");
    const test = await rowsOf("halves/test/test.parquet");
    const [p, q] = [values(0.4, [5, FRAMES, ROWS]), values(0.7, [5, FRAMES, ROWS])];
    const at = (u: Float64Array, sample: number, frame: number, row: number) =>
      u[(sample * FRAMES + frame) * ROWS + row];
    expect(test).toHaveLength(5);
    expect(test[4].response[2][3]).toBe(at(q, 4, 5, 6));
    expect([test[4].input[0][6], test[4].input[1][6]]).toEqual([at(p, 4, 0, 6), at(q, 4, 0, 6)]);
    const npz = await openNpz(bytesInMemory(new Uint8Array(readFileSync(path("halves/coordinates.npz")))));
    const line = async (name: string) => {
      const array = await npz.array(name);
      return [...(await array.read(0, array.rows))];
    };
    expect(npz.names).toEqual(["time", "y", "input_y"]);
    expect(await line("time")).toEqual([1.5, 2, 2.5]);
    expect(await line("y")).toEqual([0, 4, 8, 12]);
    expect(await line("input_y")).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
  });

  it("refuses words about data where no data are named", async () => {
    await exported("u.npz", CHOICE, "first");
    const done = await run("export", "p.json", "--format", "csv", "--window", "2:1", "--out", "x.csv");
    expect(done).toMatchObject({
      status: 1,
      stderr: "pde-dirichlet: --window speaks of --data: name the file\n",
    });
  });
});

describe("show", () => {
  const shown = async (...args: string[]) => {
    const done = await run("show", ...args, "--out", "s.svg", "--force");
    expect(done).toMatchObject({ status: 0 });
    const picture = readFileSync(path("s.svg"), "utf8").replace(/<desc>.*<\/desc>/, ""); // where the data come from
    return { said: done.stderr, picture };
  };

  it("draws the chosen parts of arrays, whatever file they come from", async () => {
    const flags = ["--sample", "33", "--no-origin", "--channels", "none"];
    const pictures = [];
    for (const file of FILES) {
      const { said, picture } = await shown(file, ...CHOICE, ...flags, ...(OPTIONS[file] ?? []));
      expect(said).toContain(`inputs u[:, 0]: 1 channel on 8 x 9`);
      pictures.push(picture);
    }
    expect(pictures[1]).toBe(pictures[0]);
    expect(pictures[2]).toBe(pictures[0]);
  });

  it("draws windows of trajectories, and says how many there are", async () => {
    const { said, picture } = await shown(
      "u.npz",
      "--inputs",
      "u[:, t:t+2]",
      "--responses",
      "u[:, t+2]",
      "--sample",
      "4",
    );
    expect(said).toContain("(160 samples, 4 windows of each of 40 trajectories)");
    expect(texts(picture)).toEqual(expect.arrayContaining(["Input, t", "Input, t+1", "Response"]));
    const same = await shown(
      "u.npz",
      "--inputs",
      "u[:, 0:2]",
      "--responses",
      "u[:, 2]",
      "--sample",
      "1",
      "--channels",
      "first",
    );
    expect(imagesOf(picture).at(-1)).toBe(imagesOf(same.picture).at(-1)); // window 4 is the first of trajectory 1
  });

  it("draws test samples of the same choice", async () => {
    const choice = ["--inputs", "p_train[:, 0], q_train[:, 0]", "--responses", "q_train[:, 3:, ::2]"];
    const { said } = await shown("halves.h5", ...choice, "--sample", "39");
    expect(said).toContain("1 channel on 3 x 4 (time, y) (40 samples)");
    await writeHdf5(path("own.h5"), {
      datasets: Object.fromEntries(
        ["train", "test"].flatMap((split, i) =>
          ["inputs", "responses"].map((which, j) => [
            `/${split}/${which}`,
            {
              shape: [6 - i, FRAMES, ROWS],
              values: values(i + 2 * j, [6 - i, FRAMES, ROWS]),
              axes: ["sample", "t", "x"],
            },
          ]),
        ),
      ),
    });
    const test = await shown("own.h5", "--window", "1:1", "--split", "test", "--sample", "24");
    expect(test.said).toContain("responses /test/responses[:, t+1]: 1 channel on 8 points (25 samples");
  });

  it("draws a converted file of a task as it draws the task's own", async () => {
    await run("generate", "burgers", "--train", "3", "--test", "2", "--out", "burgers.h5", "--quiet");
    expect(await run("convert", "burgers.h5", "--out", "converted.h5", "--quiet")).toMatchObject({
      status: 0,
    });
    const [own, converted] = [
      await shown("burgers.h5", "--no-origin"),
      await shown("converted.h5", "--no-origin"),
    ];
    expect(converted.picture).toBe(own.picture);
  });
});

/** Pixels of the pictures in a figure. */
const imagesOf = (svg: string): string[] =>
  [...svg.matchAll(/href="data:image[^"]*"/g)].map(([image]) => image);
