import { type Hdf5Contents, type Hdf5NewDataset, writeHdf5 } from "../../src/files/hdf5-writer.js";

/** Fields that look like those of the public benchmarks, written down without solving anything. */
export interface FieldFile {
  readonly task: string;
  readonly samples: number;
  readonly inputShape: readonly number[];
  readonly responseShape: readonly number[];
  /** Names of the axes of input and response; the file's coordinates are found by them. */
  readonly inputAxes: readonly string[];
  readonly responseAxes: readonly string[];
  readonly coordinates: Readonly<Record<string, Float64Array>>;
  readonly input: (sample: number) => ArrayLike<number>;
  readonly response: (sample: number) => ArrayLike<number>;
}

/** What the files say of their origin: nothing here is a simulation. */
export const MADE_UP = "made up for a test";

/** Writes a dataset of the layout that generated files have. */
export async function writeFieldFile(path: string, file: FieldFile): Promise<void> {
  await writeHdf5(path, contentsOf(file));
}

/** A flow as an imported file has it: places are parts of a domain, and every sample has the bounds of its own. */
export async function writeConditionedFile(path: string, file: FieldFile): Promise<void> {
  const parts = centres(file.inputShape[1], 0, 1);
  const { attributes, datasets } = contentsOf({ ...file, coordinates: { x: parts, y: parts } });
  const bounds = { x_min: -0.06, x_max: 0.16, y_min: -0.06, y_max: 0.06 };
  const conditions = Object.entries(bounds).map(([name, value]) => [
    `/train/conditions/${name}`,
    { shape: [file.samples], values: new Float64Array(file.samples).fill(value) },
  ]);
  await writeHdf5(path, {
    attributes: {
      ...attributes,
      origin: "imported from CFDBench",
      coordinate_units: "parts of the domain, whose extent is that of the case",
    },
    datasets: { ...datasets, ...Object.fromEntries(conditions) },
  });
}

function contentsOf(file: FieldFile): Hdf5Contents {
  const stack = (
    shape: readonly number[],
    axes: readonly string[],
    of: FieldFile["input"],
  ): Hdf5NewDataset => ({
    shape: [file.samples, ...shape],
    values: Float32Array.from(Array.from({ length: file.samples }, (_, i) => Array.from(of(i))).flat()),
    axes: ["sample", ...axes.map((name) => (name in file.coordinates ? `/coordinates/${name}` : name))],
  });
  const halves = ["train", "test"].flatMap((split) => [
    [`/${split}/inputs`, stack(file.inputShape, file.inputAxes, file.input)],
    [`/${split}/responses`, stack(file.responseShape, file.responseAxes, file.response)],
  ]);
  const scales = Object.entries(file.coordinates).map(([name, values]) => [
    `/coordinates/${name}`,
    { shape: [values.length], values },
  ]);
  const attributes = {
    format: "pde-dirichlet/dataset/1",
    task: file.task,
    origin: MADE_UP,
    seed: 0,
  };
  return { attributes, datasets: Object.fromEntries([...scales, ...halves]) };
}

/** Centres of `count` cells of [low, high]. */
function centres(count: number, low: number, high: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => low + ((i + 0.5) / count) * (high - low));
}

/** Values of a function over a plane, the first coordinate varying slowest. */
function table(first: Float64Array, second: Float64Array, value: (a: number, b: number) => number): number[] {
  return Array.from(first).flatMap((a) => Array.from(second, (b) => value(a, b)));
}

/** Two materials, and a pressure that is low where the ground is permeable. Rows are x. */
export function darcyFile(grid: number, samples: number): FieldFile {
  const x = centres(grid, 0, 1);
  const bumps = (sample: number, a: number, b: number) =>
    Math.exp(-((a - 0.3) ** 2 + (b - 0.6 + 0.1 * sample) ** 2) / 0.05) +
    Math.exp(-((a - 0.75) ** 2 + (b - 0.3) ** 2) / 0.08);
  return {
    task: "darcy",
    samples,
    inputShape: [grid, grid],
    responseShape: [grid, grid],
    inputAxes: ["x", "y"],
    responseAxes: ["x", "y"],
    coordinates: { x, y: x },
    input: (sample) => table(x, x, (a, b) => (bumps(sample, a, b) > 0.5 ? 1 : 0.1)),
    response: (sample) =>
      table(x, x, (a, b) => (2.2 * a * (1 - a) * b * (1 - b)) / (0.3 + bumps(sample, a, b))),
  };
}

/** A column of water, and the ring that it becomes. Rows are x, so that hu changes sign from left to right. */
export function damBreakFile(grid: number, samples: number): FieldFile {
  const x = centres(grid, -2.5, 2.5);
  const front = (sample: number) => 1.5 + 0.2 * sample;
  const ring = (sample: number, r: number) =>
    r < front(sample) ? 0.25 * Math.sin(4 * (r - front(sample)) + 1.5) * (r / front(sample)) : 0;
  return {
    task: "dam-break",
    samples,
    inputShape: [3, grid, grid],
    responseShape: [3, grid, grid],
    inputAxes: ["channel", "x", "y"],
    responseAxes: ["channel", "x", "y"],
    coordinates: { x, y: x },
    input: (sample) => [
      ...table(x, x, (a, b) => (Math.hypot(a, b) < 0.4 + 0.1 * sample ? 2 : 1)),
      ...new Float64Array(2 * grid * grid),
    ],
    response: (sample) => [
      ...table(x, x, (a, b) => 1 + ring(sample, Math.hypot(a, b))),
      ...table(x, x, (a, b) => (ring(sample, Math.hypot(a, b)) * a) / Math.hypot(a, b)),
      ...table(x, x, (a, b) => (ring(sample, Math.hypot(a, b)) * b) / Math.hypot(a, b)),
    ],
  };
}

/** A stream past a circle of radius 1 cm, and the same with a street of vortices behind it. Rows are y. */
export function cylinderFile(grid: number, samples: number): FieldFile {
  const x = centres(grid, -0.06, 0.16);
  const y = centres(grid, -0.06, 0.06);
  const radius = 0.01;
  const field = (vortices: number) => {
    const speed = (b: number, a: number): [number, number] => {
      const r2 = a * a + b * b;
      if (r2 < radius * radius) return [0, 0];
      const wall = 1 - (b / 0.06) ** 8;
      let u = wall * (1 - (radius ** 2 * (a * a - b * b)) / r2 ** 2);
      let v = (-2 * wall * radius ** 2 * a * b) / r2 ** 2;
      for (let i = 0; i < vortices; i++) {
        const [dx, dy] = [a - 0.03 - 0.022 * i, b - (i % 2 ? 0.008 : -0.008)];
        const spin = (i % 2 ? 1 : -1) * 90 * Math.exp(-(dx * dx + dy * dy) / 1.2e-4);
        u += spin * dy;
        v -= spin * dx;
      }
      return [u, v];
    };
    return [0, 1].flatMap((channel) => table(y, x, (b, a) => speed(b, a)[channel]));
  };
  return {
    task: "cylinder",
    samples,
    inputShape: [2, grid, grid],
    responseShape: [2, grid, grid],
    inputAxes: ["channel", "y", "x"],
    responseAxes: ["channel", "y", "x"],
    coordinates: { x, y },
    input: () => field(0),
    response: (sample) => field(6 - sample),
  };
}

/** Reflections of two flat interfaces, scaled as OpenFWI scales them, over the layers that they come from. */
export function flatVelocityFile(times: number, receivers: number, samples: number): FieldFile {
  const time = Float64Array.from({ length: times }, (_, i) => i / times);
  const receiver = Float64Array.from({ length: receivers }, (_, i) => (i * 700) / receivers);
  const source = Float64Array.of(0, 170, 340, 520, 690);
  const wavelet = (t: number) => {
    const b = (Math.PI * 15 * t) ** 2;
    return (1 - 2 * b) * Math.exp(-b);
  };
  const scaled = (p: number) => {
    const [low, high] = [-Math.log1p(26.95), Math.log1p(52.77)];
    return (2 * (Math.sign(p) * Math.log1p(Math.abs(p)) - low)) / (high - low) - 1;
  };
  const arrivals = (sample: number) => [
    { depth: 0, speed: 1800, size: 30 },
    { depth: 220 + 40 * sample, speed: 1800, size: 4 },
    { depth: 480, speed: 2300, size: 2 },
  ];
  return {
    task: "flat-velocity",
    samples,
    inputShape: [5, times, receivers],
    responseShape: [receivers, receivers],
    inputAxes: ["source", "time", "receiver"],
    responseAxes: ["depth", "x"],
    coordinates: { source, time, receiver, depth: receiver, x: receiver },
    input: (sample) =>
      Array.from(source).flatMap((from) =>
        table(time, receiver, (t, to) =>
          scaled(
            arrivals(sample).reduce((sum, { depth, speed, size }) => {
              const path = Math.hypot(to - from, 2 * depth);
              return sum + (size / Math.sqrt(1 + path / 30)) * wavelet(t - 0.073 - path / speed);
            }, 0),
          ),
        ),
      ),
    response: (sample) =>
      table(receiver, receiver, (depth) => {
        const speed = depth < 220 + 40 * sample ? 1800 : depth < 480 ? 2600 : 3900;
        return (2 * (speed - 1500)) / 3000 - 1;
      }),
  };
}
