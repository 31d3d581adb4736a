import { basename } from "node:path";
import { FormatError, OptionError } from "../../errors.js";
import type { Hdf5File } from "../../files/hdf5.js";
import { toFloats } from "../../files/ndarray.js";
import { expectShape } from "./expect-shape.js";
import { checkFrames, type FrameOptions } from "./frames.js";
import { axisOf, openPdebench } from "./pdebench-file.js";
import type { Condition, PublicData } from "./public-data.js";
import { thinGrid } from "./thin-grid.js";

/** `targetFrame` is the last by default. */
export interface PdebenchDamBreakOptions extends FrameOptions {
  /** Instead of `inputFrame`: that many frames from the first on, as channels. */
  readonly inputFrames?: number;
  /** Points along each axis; every n-th point is kept. Default: all. */
  readonly grid?: number;
}

/**
 * PDEBench's `2D_rdb_NA_NA.h5`: a group a sample (0000, 0001, ...) with `data` (t, x, y, 1), the height of the water,
 * `grid/x`, `grid/y`, `grid/t`, and the attribute `config`, YAML that names the radius of the dam. The file holds no
 * velocities, so the state at one time is one channel; several early frames may stand in for them.
 */
export function openPdebenchDamBreak(
  paths: readonly string[],
  options: PdebenchDamBreakOptions = {},
): Promise<PublicData> {
  return openPdebench("pdebench-dam-break", paths, (file) => damBreak(file, options));
}

async function damBreak(file: Hdf5File, options: PdebenchDamBreakOptions): Promise<PublicData> {
  const groups = numberedGroups(file);
  const first = `/${groups[0]}/data`;
  const shape = file.dataset(first).shape;
  expectShape(`${file.name}:${first}`, shape, ["t", "x", "y", 1]);
  const [frames, rows, columns] = shape;
  const thin = thinGrid(file.name, [rows, columns], options.grid);
  const inputs = inputFrames(options);
  const target = options.targetFrame ?? frames - 1;
  checkFrames(`${file.name}:${first}`, frames, inputs[inputs.length - 1], target);
  const read = async (sample: number, [start, end]: readonly [number, number]): Promise<Float32Array> => {
    const at = `/${groups[sample]}/data`;
    const data = file.dataset(at);
    expectShape(`${file.name}:${at}`, data.shape, shape);
    const values = toFloats(await data.read(start, end));
    const fields = new Float32Array((end - start) * thin.shape[0] * thin.shape[1]);
    for (let frame = 0; frame < end - start; frame++) {
      const field = thin.field(values.subarray(frame * rows * columns, (frame + 1) * rows * columns));
      fields.set(field, frame * field.length);
    }
    return fields;
  };
  const times = await axisOf(file, `/${groups[0]}/grid/t`, frames);
  return {
    task: "dam-break",
    equation: "h(x, y, t_0) -> h(x, y, t_1): shallow water, a circular dam that breaks at t = 0",
    origin: "imported from PDEBench",
    sources: [basename(file.name)],
    files: [file.name],
    samples: groups.length,
    inputs: {
      shape: [inputs.length, ...thin.shape],
      axes: ["channel", "x", "y"],
      read: (sample) => read(sample, [inputs[0], inputs[0] + inputs.length]),
    },
    responses: {
      shape: [1, ...thin.shape],
      axes: ["channel", "x", "y"],
      read: (sample) => read(sample, [target, target + 1]),
    },
    coordinates: {
      x: thin.axis(await axisOf(file, `/${groups[0]}/grid/x`, rows), 0),
      y: thin.axis(await axisOf(file, `/${groups[0]}/grid/y`, columns), 1),
    },
    conditions: [damRadius(file, groups)],
    attributes: {
      input_channels: inputs.map((frame) => `height, frame ${frame}`),
      response_channels: [`height, frame ${target}`],
      input_frames: inputs,
      target_frame: target,
      input_times: inputs.map((frame) => times[frame]),
      target_time: times[target],
      source_grid: [rows, columns],
    },
    nameOf: (sample) => groups[sample],
    close: () => file.close(),
  };
}

function numberedGroups(file: Hdf5File): string[] {
  const children = file.children();
  const groups = children.filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(a) - Number(b));
  if (groups.length > 0) return groups;
  const found = children.slice(0, 10).join(", ") || "nothing";
  throw new FormatError(`${file.name}: expected groups 0000, 0001, ..., found ${found}`);
}

function inputFrames({ inputFrame, inputFrames: count }: PdebenchDamBreakOptions): number[] {
  if (count === undefined) return [inputFrame ?? 0];
  if (inputFrame !== undefined) throw new OptionError("give either --input-frame or --input-frames");
  if (count < 1) throw new OptionError("--input-frames is a number from 1 on");
  return Array.from({ length: count }, (_, frame) => frame);
}

/** The radius that a sample's `config` names; NaN where it names none. */
function damRadius(file: Hdf5File, groups: readonly string[]): Condition {
  const of = (sample: number) => {
    const { config = "" } = file.attributes(groups[sample]);
    return Number(/\bdam_radius:\s*([-+.\deE]+)/.exec(String(config))?.[1] ?? NaN);
  };
  return { name: "dam_radius", of };
}
