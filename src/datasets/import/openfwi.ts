import { basename } from "node:path";
import { FLATVEL_A, scaledPressure, scaledVelocity } from "../../equations/seismic-scaling.js";
import { OptionError } from "../../errors.js";
import { toFloats } from "../../files/ndarray.js";
import { findPairs, type OpenFwiPair, oneAtATime } from "./openfwi-pairs.js";
import type { PublicData } from "./public-data.js";

export interface OpenFwiOptions {
  /** Rows of every file to choose from, the second not among them. Default: all. */
  readonly rows?: readonly [number, number];
  /** Keeps every n-th sample of a trace. Default: 1. */
  readonly timeStride?: number;
  /** Keeps the numbers as they are. Default: logarithm and min-max to [-1, 1], with OpenFWI's constants. */
  readonly raw?: boolean;
}

/**
 * OpenFWI's FlatVel-A: `data{i}.npy` (samples, source, time, receiver) holds shot gathers, `model{i}.npy` (samples, 1,
 * depth, offset) velocities in m/s.
 */
export async function openOpenFwi(
  paths: readonly string[],
  { rows, timeStride = 1, raw = false }: OpenFwiOptions = {},
): Promise<PublicData> {
  const { pairs, gather, map } = await findPairs(paths);
  const [sources, times, receivers] = gather;
  if (timeStride < 1 || timeStride > times)
    throw new OptionError(`--time-stride ${timeStride} is not between 1 and the ${times} samples of a trace`);
  const places = placesOf(pairs, rows);
  const files = pairs.flatMap(({ data, model }) => [data, model]);
  const keptTimes = Math.ceil(times / timeStride);
  const [dataFiles, modelFiles] = [oneAtATime(), oneAtATime()];
  const { spacing, timeStep, dataMin, dataMax, velocityMin, velocityMax } = FLATVEL_A;

  const readGather = async (sample: number): Promise<Float32Array> => {
    const { pair, row } = places[sample];
    const values = toFloats(await (await dataFiles.open(pair.data)).read(row, row + 1));
    const kept = new Float32Array(sources * keptTimes * receivers);
    let at = 0;
    for (let source = 0; source < sources; source++) {
      for (let time = 0; time < times; time += timeStride) {
        const start = (source * times + time) * receivers;
        for (let receiver = 0; receiver < receivers; receiver++) {
          const value = values[start + receiver];
          kept[at++] = raw ? value : scaledPressure(value);
        }
      }
    }
    return kept;
  };
  const readMap = async (sample: number): Promise<Float32Array> => {
    const { pair, row } = places[sample];
    const values = toFloats(await (await modelFiles.open(pair.model)).read(row, row + 1));
    return Float32Array.from(values, raw ? undefined : scaledVelocity);
  };

  return {
    task: "flat-velocity",
    equation: "p(source, t, receiver) -> c(z, x): lap p - p_tt / c^2 = s, recorded at the surface",
    origin: "imported from OpenFWI FlatVel-A",
    sources: files.map((path) => basename(path)),
    files,
    samples: places.length,
    inputs: {
      shape: [sources, keptTimes, receivers],
      axes: ["source", "time", "receiver"],
      read: readGather,
    },
    responses: { shape: map, axes: ["depth", "x"], read: readMap },
    coordinates: {
      source: sourcePositions(sources, receivers),
      time: spaced(keptTimes, timeStride * timeStep),
      receiver: spaced(receivers, spacing),
      depth: spaced(map[0], spacing),
      x: spaced(map[1], spacing),
    },
    attributes: {
      input_channels: Array.from({ length: sources }, (_, source) => `shot ${source + 1}`),
      response_channels: ["velocity"],
      time_stride: timeStride,
      source_rows: pairs.map(({ rows }) => rows),
      row_range: rows ? [...rows] : "all",
      scaling: raw
        ? "none"
        : "data: sign(x) ln(1 + |x|), then min-max to [-1, 1]; velocity: min-max to [-1, 1]",
      ...(!raw && {
        data_min: dataMin,
        data_max: dataMax,
        velocity_min: velocityMin,
        velocity_max: velocityMax,
      }),
    },
    nameOf: (sample) => `${basename(places[sample].pair.data)}:${places[sample].row}`,
    close: async () => void (await Promise.all([dataFiles.close(), modelFiles.close()])),
  };
}

/** Where every sample lies, file after file. */
function placesOf(
  pairs: readonly OpenFwiPair[],
  range: readonly [number, number] | undefined,
): { readonly pair: OpenFwiPair; readonly row: number }[] {
  return pairs.flatMap((pair) => {
    const [start, end] = range ?? [0, pair.rows];
    if (start >= end || end > pair.rows)
      throw new OptionError(`--rows ${start}:${end} is not a range of the ${pair.rows} rows of ${pair.data}`);
    return Array.from({ length: end - start }, (_, i) => ({ pair, row: start + i }));
  });
}

/** The sources stand over the receivers, evenly, from the first to the last: columns 0, 17, 34, 52 and 69 of 70. */
function sourcePositions(sources: number, receivers: number): Float64Array {
  return Float64Array.from({ length: sources }, (_, i) => {
    const column = i === 0 ? 0 : Math.ceil((i * (receivers - 1)) / (sources - 1) - 0.5);
    return column * FLATVEL_A.spacing;
  });
}

function spaced(points: number, step: number): Float64Array {
  return Float64Array.from({ length: points }, (_, i) => i * step);
}
