import { FormatError } from "../errors.js";
import {
  AXIS_ENDS,
  type AxisEnd,
  labelledChannels,
  permuted,
  type StoredArray,
  sampleInWords,
} from "./array-axes.js";
import { type Fields, fieldsInMemory } from "./fields.js";

/** Shortest side of a grid, as for the grids of tasks: an axis with fewer points can only hold channels. */
const SHORTEST_SIDE = 8;

/** Arrays of a file that a model takes as fields with channels. */
export interface FieldArrays {
  readonly inputs: StoredArray;
  readonly responses: StoredArray;
}

/**
 * Which axis of samples of three axes holds the channels: as asked, as the file says, or the only one that can. Two
 * possible readings are refused; undefined where no array has channels.
 *
 * @param sameGrid whether inputs and responses lie on one grid
 */
export function channelAxis(
  path: string,
  arrays: FieldArrays,
  { asked, sameGrid }: { readonly asked?: AxisEnd; readonly sameGrid: boolean },
): AxisEnd | undefined {
  const all = [arrays.inputs, arrays.responses];
  const fields = all.filter(({ shape }) => shape.length === 4);
  if (asked !== undefined || fields.length === 0) return asked;
  const labels = new Set(fields.map(labelledChannels));
  const [label] = labels;
  if (labels.size === 1 && label !== undefined) return label;
  const grids = (end: AxisEnd) => all.map(({ shape }) => gridOf(shape.slice(1), end));
  const fitting = AXIS_ENDS.filter(
    (end) => !sameGrid || new Set(grids(end).map((grid) => grid.join())).size === 1,
  );
  if (fitting.length < 2) return fitting[0]; // without any the model says what it takes
  const possible = AXIS_ENDS.filter((end) =>
    fields.every(({ shape }) => gridOf(shape.slice(1), end).every((side) => side >= SHORTEST_SIDE)),
  );
  if (possible.length === 1) return possible[0];
  const [first, last] = AXIS_ENDS.map((end) => sampleInWords(fields[0].shape.slice(1), end));
  const which = fields[0] === arrays.inputs ? "inputs" : "responses";
  throw new FormatError(
    `which axis of ${path} holds channels? The ${which}, ${fields[0].shape.join(" x ")}, may be ${first} or ${last}: ` +
      'say first or last with --channels, with "channels" of a study\'s task, or with an attribute "channels" of the file',
  );
}

function gridOf(shape: readonly number[], channels: AxisEnd): readonly number[] {
  if (shape.length !== 3) return shape;
  return channels === "first" ? shape.slice(1) : shape.slice(0, -1);
}

/** Fields in memory with the channels of a sample before its grid. */
export async function withChannelsFirst(fields: Fields): Promise<Fields> {
  const [rows, columns, channels] = fields.shape;
  const values = await fields.read(0, fields.samples);
  return fieldsInMemory(permuted(values, [fields.samples, ...fields.shape], [0, 3, 1, 2]), fields.samples, [
    channels,
    rows,
    columns,
  ]);
}
