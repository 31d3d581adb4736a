import { verbatim } from "../../analysis/notation.js";
import { DataError, OptionError } from "../../errors.js";
import { isTimed } from "./sample-views.js";
import { channelOf, places, planeOf, type SampledField } from "./sampled-field.js";

/** Which parts of samples are drawn. */
export interface PartChoice {
  /** Channels by label or number. Default: all that fit, or the first, the middle and the last of more. */
  readonly channels?: readonly string[];
  /** Times by number; the first, the middle and the last by default. */
  readonly frames?: readonly number[];
  /** Planes of a volume, lines of a plane, times; the middle planes of a volume by default. */
  readonly slices?: readonly Slice[];
}

/** The points of a field at one place along an axis. */
export interface Slice {
  readonly axis: string;
  readonly at: number;
  /** What `at` is: the number of a point from 0, or a coordinate, which stands for the point nearest to it. */
  readonly by: "number" | "coordinate";
}

/** A part of a field that is drawn alone. */
export interface FieldPart {
  readonly field: SampledField;
  /** Label or number of its channel. */
  readonly channel?: string;
  /** Where it lies: `$z$ = 0.5`. */
  readonly place?: string;
}

const hasChannels = ({ axes }: SampledField): boolean => axes.length > 1 && axes[0].kind === "channel";
const gridOf = (field: SampledField): SampledField["axes"] => field.axes.slice(hasChannels(field) ? 1 : 0);
const isTime = (axis: SampledField["axes"][number]): boolean => isTimed({ axes: [axis] });

/**
 * Refuses parts that no field has. A part need not be in all fields: an initial value has no time, and the input may have
 * fewer channels than the response.
 */
export function checkChoice(fields: readonly SampledField[], choice: PartChoice): void {
  const { channels = [], frames = [], slices = [] } = choice;
  const withChannels = fields.filter(hasChannels);
  for (const channel of channels) {
    if (withChannels.length === 0)
      throw new OptionError(
        `there is no channel ${channel}: samples have no axis of channels (see --channels)`,
      );
    if (withChannels.every((field) => channelNumber(field, channel) === undefined))
      throw new OptionError(
        `there is no channel ${channel}: ${[...new Set(withChannels.map(channelsInWords))].join("; ")}`,
      );
  }
  const axes = [...new Set(fields.flatMap((field) => gridOf(field).map(({ name }) => name)))].join(", ");
  const cuttable = fields.filter((field) => gridOf(field).length > 1);
  for (const frame of frames) {
    const timed = fields.flatMap((field) =>
      gridOf(field).flatMap((axis, i) => (isTime(axis) ? [{ field, i }] : [])),
    );
    if (timed.length === 0)
      throw new OptionError(
        `there is no frame ${frame}: no axis of a sample is time (${axes}); name the axes with --axes, such as t,x,y`,
      );
    const longest = Math.max(...timed.map(({ field, i }) => lengthOf(field, i)));
    if (frame >= longest)
      throw new OptionError(`there is no frame ${frame}: samples have ${longest}, 0 to ${longest - 1}`);
  }
  for (const slice of slices) {
    const found = cuttable.filter((field) => gridOf(field).some(({ name }) => name === slice.axis));
    if (found.length === 0)
      throw new OptionError(`samples have no axis ${slice.axis}: their axes are ${axes}`);
    const problems = found.map((field) =>
      placeOf(
        field,
        field.axes.findIndex(({ name }) => name === slice.axis),
        slice,
      ),
    );
    if (problems.every((one) => typeof one === "string")) throw new OptionError(problems[0] as string);
  }
}

const lengthOf = (field: SampledField, gridAxis: number): number =>
  field.shape[gridAxis + (hasChannels(field) ? 1 : 0)];

/** The parts of a field that are chosen, channel by channel; of a field without any of them nothing. */
export function partsOf(field: SampledField, choice: PartChoice): FieldPart[] {
  return channelParts(field, choice).flatMap(({ field: part, channel }) =>
    planesOf(part, choice).map((plane) => ({ ...plane, ...(channel !== undefined && { channel }) })),
  );
}

/** Channels up to which all are drawn: as many as fit into a row, and half a page of rows with several planes each. */
const [MOST_IN_A_ROW, MOST_ROWS] = [6, 4];

function channelParts(field: SampledField, choice: PartChoice): FieldPart[] {
  if (!hasChannels(field)) return [{ field }];
  const chosen = choice.channels?.map((one) => channelNumber(field, one)).filter((one) => one !== undefined);
  const numbers = chosen ?? usualChannels(field, choice);
  return numbers.map((number) => ({
    field: channelOf(field, number),
    channel: field.axes[0].labels?.[number] ?? String(number),
  }));
}

function usualChannels(field: SampledField, choice: PartChoice): readonly number[] {
  const count = field.shape[0];
  const isPlane = planesOf(channelOf(field, 0), choice).length < 2;
  if (count <= (isPlane ? MOST_IN_A_ROW : MOST_ROWS)) return Array.from({ length: count }, (_, i) => i);
  return [0, Math.floor((count - 1) / 2), count - 1];
}

/** The channel with this label, or with this number from 0. */
function channelNumber({ axes, shape }: SampledField, wanted: string): number | undefined {
  const labels = axes[0].labels?.map((label) => label.toLowerCase()) ?? [];
  const labelled = labels.indexOf(wanted.trim().toLowerCase());
  if (labelled >= 0) return labelled;
  return /^\d+$/.test(wanted.trim()) && Number(wanted) < shape[0] ? Number(wanted) : undefined;
}

function channelsInWords({ axes, shape }: SampledField): string {
  const labels = axes[0].labels;
  const numbers = shape[0] === 1 ? "0" : `0 to ${shape[0] - 1}`;
  return `there are ${shape[0]}, ${labels ? `${labels.join(", ")} or ${numbers}` : numbers}`;
}

/** A field of three axes or more as planes: at some times first, then through some points. */
function planesOf(field: SampledField, choice: PartChoice): FieldPart[] {
  const { axes, shape } = field;
  const time = axes.length > 1 ? axes.findIndex(isTime) : -1;
  const times = time < 0 ? undefined : timesOf(field, time, choice);
  if (times)
    return times.flatMap((index) => {
      const frame = cut(field, time, index);
      return planesOf(frame.field, choice).map(({ field: part, place }) => ({
        field: part,
        place: [frame.place, place].filter(Boolean).join(", "),
      }));
    });
  const slices = choice.slices?.filter(({ axis }) => axes.some(({ name }) => name === axis)) ?? [];
  if (slices.length > 0 && axes.length > 1 && axes.length <= 3)
    return slices.flatMap((slice) => {
      const axis = axes.findIndex(({ name }) => name === slice.axis);
      const index = placeOf(field, axis, slice);
      return typeof index === "number" ? [cut(field, axis, index)] : [];
    });
  if (axes.length < 3) return [{ field }];
  if (axes.length > 3)
    throw new DataError(
      `a sample has ${axes.length} axes, ${shape.join(" x ")}: name them with --axes, such as t,x,y,z`,
    );
  return axes.map((_, axis) => cut(field, axis, Math.floor(shape[axis] / 2)));
}

/** The frames of a field over time; undefined where the time is an axis of its picture. */
function timesOf(
  field: SampledField,
  time: number,
  { frames, slices }: PartChoice,
): readonly number[] | undefined {
  const asked = slices?.filter(({ axis }) => axis === field.axes[time].name) ?? [];
  if (frames || asked.length > 0)
    return [
      ...(frames ?? []).filter((frame) => frame < field.shape[time]),
      ...asked.map((slice) => placeOf(field, time, slice)).filter((index) => typeof index === "number"),
    ];
  const last = field.shape[time] - 1;
  if (field.axes.length < 3) return undefined;
  return field.axes.length > 3 ? [last] : [...new Set([0, Math.floor(last / 2), last])];
}

/** The number of the point that a slice names, or why there is none. */
function placeOf(field: SampledField, axis: number, { at, by }: Slice): number | string {
  const { name, values } = field.axes[axis];
  const last = field.shape[axis] - 1;
  if (by === "number")
    return at <= last ? at : `there is no point ${at} along ${name}: samples have ${last + 1}, 0 to ${last}`;
  if (values === undefined)
    return `the file has no coordinates of ${name}: give the number of a point, 0 to ${last}, without a decimal point`;
  const points = Array.from(values);
  const [low, high] = [Math.min(...points), Math.max(...points)];
  const half = last > 0 ? (high - low) / last / 2 : 0;
  if (at < low - half || at > high + half)
    return `${name} = ${at} lies outside: ${name} goes from ${short(low)} to ${short(high)}`;
  return points.reduce(
    (best, point, i) => (Math.abs(point - at) < Math.abs(points[best] - at) ? i : best),
    0,
  );
}

const short = (value: number): number => Number(value.toPrecision(3));

/** The plane with this number along an axis, and where it lies. */
function cut(field: SampledField, axis: number, index: number): FieldPart & { readonly place: string } {
  const { name, values, unit } = field.axes[axis];
  const at = short(places(field, axis)[index]);
  const where = values !== undefined && unit !== undefined ? `${at} ${verbatim(unit)}` : String(at);
  const symbol = /^\p{L}$/u.test(name) ? `$${name}$` : verbatim(name);
  return { field: planeOf(field, axis, index), place: `${symbol} = ${where}` };
}
