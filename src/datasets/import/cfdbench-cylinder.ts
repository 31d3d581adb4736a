import { basename, resolve } from "node:path";
import { OptionError } from "../../errors.js";
import { toFloats } from "../../files/ndarray.js";
import { openNpy } from "../../files/npy.js";
import { type CfdbenchCase, conditionsOf, findCases, velocityHeader } from "./cfdbench-cases.js";
import { expectShape } from "./expect-shape.js";
import { checkOrder, type FrameOptions } from "./frames.js";
import type { Condition, PublicData } from "./public-data.js";

/** Either `targetFrame` or `timeStep` says which frame is the response. */
export interface CfdbenchCylinderOptions extends FrameOptions {
  /** Frames from input to response. Default: 100, which is the 0.1 s that CFDBench's own loader steps by. */
  readonly timeStep?: number;
  /** Leave out the cases that end before the target frame. Default: refuse. */
  readonly skipShort?: boolean;
}

/** Seconds from one frame to the next (CFDBench's autoregressive loader). */
export const FRAME_SECONDS = 0.001;
const DEFAULT_TIME_STEP = 100;

interface Pair {
  readonly input: Float32Array;
  readonly response: Float32Array;
}

/**
 * CFDBench's cylinder flow: folders or archives (bc, geo, prop) of cases, each with `u.npy` and `v.npy` (t, y, x).
 * A case gives one sample: the velocity at one frame and at a later one.
 */
export async function openCfdbenchCylinder(
  paths: readonly string[],
  options: CfdbenchCylinderOptions = {},
): Promise<PublicData> {
  const { input, target } = frames(options);
  const found = await findCases(paths);
  try {
    const { cases, shape, skipped } = await longCases(found.cases, target, options.skipShort ?? false);
    const [rows, columns] = shape;
    const pairs = pairReader(cases, rows * columns, { input, target });
    const fields = { shape: [2, rows, columns], axes: ["channel", "y", "x"] };
    return {
      task: "cylinder",
      equation: "(u, v)(x, y, t_0) -> (u, v)(x, y, t_1): incompressible flow past a cylinder",
      origin: "imported from CFDBench",
      sources: paths.map((path) => basename(resolve(path))),
      files: found.files,
      samples: cases.length,
      inputs: { ...fields, read: pairs.input },
      responses: { ...fields, read: pairs.response },
      coordinates: { y: cellCentres(rows), x: cellCentres(columns) },
      conditions: await conditions(cases),
      attributes: {
        input_channels: ["u", "v"],
        response_channels: ["u", "v"],
        input_frame: input,
        target_frame: target,
        frame_seconds: FRAME_SECONDS,
        cases_available: cases.length,
        cases_too_short: skipped,
        coordinate_units: "parts of the domain, whose extent is that of the case",
      },
      nameOf: (sample) => cases[sample].name,
      close: found.close,
    };
  } catch (error) {
    await found.close();
    throw error;
  }
}

function frames({ inputFrame = 0, targetFrame, timeStep }: CfdbenchCylinderOptions): {
  input: number;
  target: number;
} {
  if (targetFrame !== undefined && timeStep !== undefined)
    throw new OptionError("give either --target-frame or --time-step");
  const target = targetFrame ?? inputFrame + (timeStep ?? DEFAULT_TIME_STEP);
  checkOrder(inputFrame, target);
  return { input: inputFrame, target };
}

/** The cases that reach the target frame, all on the same grid. */
async function longCases(
  all: readonly CfdbenchCase[],
  target: number,
  skipShort: boolean,
): Promise<{ cases: CfdbenchCase[]; shape: readonly [number, number]; skipped: number }> {
  const { shape } = await velocityHeader(all[0].parts["u.npy"]);
  expectShape(all[0].parts["u.npy"].name, shape, ["t", "y", "x"]);
  const [, rows, columns] = shape;
  const cases: CfdbenchCase[] = [];
  let shortest = { name: "", frames: Infinity };
  for (const one of all) {
    const u = await velocityHeader(one.parts["u.npy"]);
    const v = await velocityHeader(one.parts["v.npy"]);
    expectShape(one.parts["u.npy"].name, u.shape, ["t", rows, columns]);
    expectShape(one.parts["v.npy"].name, v.shape, u.shape);
    if (u.shape[0] < shortest.frames) shortest = { name: one.name, frames: u.shape[0] };
    if (u.shape[0] > target) cases.push(one);
  }
  const skipped = all.length - cases.length;
  if (skipped > 0 && (!skipShort || cases.length === 0)) {
    const way = cases.length > 0 ? "add --skip-short to take only those, or " : "";
    throw new OptionError(
      `case ${shortest.name} has ${shortest.frames} frames, but frame ${target} is needed: ${cases.length} of ` +
        `${all.length} cases are long enough; ${way}choose an earlier target`,
    );
  }
  return { cases, shape: [rows, columns], skipped };
}

/**
 * Reads both frames of a case at once, for a compressed velocity is inflated whole; the pair is kept until its
 * response is taken.
 */
function pairReader(
  cases: readonly CfdbenchCase[],
  size: number,
  frames: { readonly input: number; readonly target: number },
): { input(sample: number): Promise<Float32Array>; response(sample: number): Promise<Float32Array> } {
  const kept = new Map<number, Pair>();
  const pairOf = async (sample: number): Promise<Pair> => {
    const known = kept.get(sample);
    if (known) return known;
    const pair = { input: new Float32Array(2 * size), response: new Float32Array(2 * size) };
    const { parts } = cases[sample];
    for (const [channel, part] of [parts["u.npy"], parts["v.npy"]].entries()) {
      await part.use(async (content) => {
        const velocity = await openNpy(content);
        pair.input.set(toFloats(await velocity.read(frames.input, frames.input + 1)), channel * size);
        pair.response.set(toFloats(await velocity.read(frames.target, frames.target + 1)), channel * size);
      });
    }
    kept.set(sample, pair);
    return pair;
  };
  return {
    input: async (sample) => (await pairOf(sample)).input,
    response: async (sample) => {
      const { response } = await pairOf(sample);
      kept.delete(sample);
      return response;
    },
  };
}

/** The numbers that every case has. */
async function conditions(cases: readonly CfdbenchCase[]): Promise<Condition[]> {
  const values: Readonly<Record<string, number>>[] = [];
  for (const one of cases) values.push(await conditionsOf(one));
  return Object.keys(values[0])
    .filter((name) => values.every((numbers) => name in numbers))
    .map((name) => ({ name, of: (sample) => values[sample][name] }));
}

function cellCentres(cells: number): Float64Array {
  return Float64Array.from({ length: cells }, (_, i) => (i + 0.5) / cells);
}
