import { verbatim } from "../../analysis/notation.js";
import { DataError, OptionError } from "../../errors.js";
import { curve, type ImagePanel, plane, proportions, type SamplePanel, spaceTime } from "./sample-panel.js";
import { isTimed } from "./sample-views.js";
import {
  channelOf,
  picture,
  places,
  planeOf,
  type SampledField,
  withoutSingletons,
} from "./sampled-field.js";

/** What a field is called, and which parts of it are drawn. */
export interface PlainOptions {
  /** `Input`, `Response`, or what the user calls it. */
  readonly label: string;
  readonly unit?: string;
  /** Channels to draw; all of them by default. */
  readonly channels?: readonly number[];
  /** Times to draw of a field over time; the first, the middle and the last by default. */
  readonly frames?: readonly number[];
  /** Planes to draw of a volume; those through its middle by default. */
  readonly slices?: readonly Slice[];
}

/** A plane of a volume: the points with this number along this axis. */
export interface Slice {
  readonly axis: string;
  readonly index: number;
}

const MOST_PANELS = 6;

/** Any field, by its number of axes: a curve, a picture, frames of a trajectory, or planes of a volume; each channel alone. */
export function plainPanels(field: SampledField, options: PlainOptions): SamplePanel[] {
  const { label, unit } = options;
  const what = label.toLowerCase();
  const plain = withoutSingletons(field);
  if (plain.shape.length === 0)
    throw new DataError(`the ${what} of a sample is a single number: nothing to draw`);
  const parts = channelParts(plain, options).flatMap(({ part, name }) =>
    planesOf(part, options, what).map((one) => ({ ...one, channel: name })),
  );
  if (parts.length > MOST_PANELS)
    throw new DataError(
      `the ${what} of a sample, ${field.shape.join(" x ")}, gives ${parts.length} pictures, more than the ${MOST_PANELS} ` +
        "that fit: choose some with --channel, --frame or --slice",
    );
  return parts.map(({ part, channel, place }) => {
    const heading = verbatim(capitalised(label));
    const title = [channel === undefined ? heading : `${heading} ${verbatim(channel)}`, place]
      .filter(Boolean)
      .join(", ");
    const named = channel === undefined ? "" : `, ${/^\d+$/.test(channel) ? "channel " : ""}${channel}`;
    const quantity = verbatim(`${what === label.toLowerCase() ? lowerCased(label) : label}${named}`);
    return panelOf(part, title, unit === undefined ? quantity : `${quantity} (${verbatim(unit)})`);
  });
}

const capitalised = (label: string): string => label[0].toUpperCase() + label.slice(1);
const lowerCased = (label: string): string =>
  /^(Input|Response)$/.test(label) ? label.toLowerCase() : label;

/** The channels of a field by name; the field itself where it has none. */
function channelParts(
  field: SampledField,
  { channels, label }: PlainOptions,
): { readonly part: SampledField; readonly name?: string }[] {
  const [first] = field.axes;
  if (first.kind !== "channel" || field.axes.length === 1) return [{ part: field }];
  const wanted = channels ?? Array.from({ length: field.shape[0] }, (_, i) => i);
  return wanted.map((channel) => {
    if (channel >= field.shape[0])
      throw new OptionError(
        `there is no channel ${channel}: the ${label.toLowerCase()} has ${field.shape[0]}, 0 to ${field.shape[0] - 1}`,
      );
    return { part: channelOf(field, channel), name: first.labels?.[channel] ?? String(channel) };
  });
}

interface Plane {
  readonly part: SampledField;
  /** Where it lies: `$z$ = 0.5`. */
  readonly place?: string;
}

/** A field of three axes or more as planes: at some times first, then through some points. */
function planesOf(field: SampledField, options: PlainOptions, what: string): Plane[] {
  if (field.axes.length < 3) return [{ part: field }];
  const time = field.axes.findIndex((axis) => isTimed({ axes: [axis] }));
  if (time >= 0) {
    const last = field.shape[time] - 1;
    const usual = field.axes.length > 3 ? [last] : [...new Set([0, Math.floor(last / 2), last])];
    return (options.frames ?? usual).flatMap((index) => {
      const frame = cut(field, time, index, what);
      return planesOf(frame.part, options, what).map(({ part, place }) => ({
        part,
        place: [frame.place, place].filter(Boolean).join(", "),
      }));
    });
  }
  if (field.axes.length > 3)
    throw new DataError(
      `the ${what} of a sample has ${field.axes.length} axes, ${field.shape.join(" x ")}: name them with --axes, such as x,y,z,t`,
    );
  const slices =
    options.slices ??
    field.axes.map(({ name }, axis) => ({ axis: name, index: Math.floor(field.shape[axis] / 2) }));
  return slices.map(({ axis: name, index }) => {
    const axis = field.axes.findIndex((one) => one.name === name);
    if (axis < 0)
      throw new OptionError(
        `the ${what} has no axis ${name}: its axes are ${field.axes.map((one) => one.name).join(", ")}`,
      );
    return cut(field, axis, index, what);
  });
}

/** The plane with this number along an axis, and where it lies. */
function cut(field: SampledField, axis: number, index: number, what: string): Plane {
  const { name, values, unit } = field.axes[axis];
  if (index >= field.shape[axis])
    throw new OptionError(
      `there is no point ${index} along ${name}: the ${what} has ${field.shape[axis]}, 0 to ${field.shape[axis] - 1}`,
    );
  const at = Number(places(field, axis)[index].toPrecision(3));
  const where = values !== undefined && unit !== undefined ? `${at} ${verbatim(unit)}` : String(at);
  const symbol = /^\p{L}$/u.test(name) ? `$${name}$` : verbatim(name);
  return { part: planeOf(field, axis, index), place: `${symbol} = ${where}` };
}

/** One or two axes as a picture. A plane whose axes nobody names is printed as a table is. */
function panelOf(field: SampledField, title: string, quantity: string): SamplePanel {
  if (field.axes.length === 1) return curve(field, title, quantity);
  if (isTimed(field)) return spaceTime(field, title, quantity);
  return field.axes.some(({ name }) => name === "row")
    ? table(field, title, quantity)
    : within(plane(field, title, quantity));
}

function table(field: SampledField, title: string, quantity: string): ImagePanel {
  const image = picture(field, "x", "down");
  return within({ title, quantity, aspect: proportions(image), image });
}

/** A panel of bearable proportions. */
const within = (panel: ImagePanel): ImagePanel => ({
  ...panel,
  aspect: Math.min(2.5, Math.max(0.4, panel.aspect)),
});
