import { OptionError, UndecidedError } from "../../errors.js";
import { CHANNEL_NAMES, CHANNEL_PLACES, type ChannelPlace } from "./array-axes.js";

export { CHANNEL_PLACES, type ChannelPlace };

/** Shortest side of a grid, as for the grids of tasks: an axis with fewer points can only hold channels. */
export const SHORTEST_SIDE = 8;

/** Samples of one array, before it is known what their axes are. */
export interface UnreadSamples {
  /** Of a sample. */
  readonly shape: readonly number[];
  /** Names of a sample's axes, where the file or the user gives all of them. */
  readonly names?: readonly string[];
  /** Axes of the grid without channels, where the source of the data says so. */
  readonly gridRank?: number;
  /** Number of points in a list that the file has for this array. */
  readonly points?: number;
}

export interface AxisQuestion {
  readonly path: string;
  readonly asked?: ChannelPlace;
  /** What the file says of itself; ignored where no array has channels. */
  readonly stated?: ChannelPlace;
  /** Lengths of coordinates that the file has for the responses' grid. */
  readonly coordinates?: readonly number[];
}

type Pair = Readonly<Record<"inputs" | "responses", UnreadSamples>>;

/** Which axis of a sample holds channels; undefined for none. */
export type ChannelAxis = number | undefined;

/**
 * Finds the axis of channels of inputs and responses by the first rule that applies: names of axes, what was asked, what
 * the source of the data has, a list of points, coordinates, one grid for both, grids of at least eight points a side.
 * A sample of two long axes is a plane. Refuses to choose where two readings remain.
 */
export function channelAxes(pair: Pair, question: AxisQuestion): Record<keyof Pair, ChannelAxis> {
  const place = question.asked ?? question.stated;
  const most = Math.max(pair.inputs.shape.length, pair.responses.shape.length);
  const readings = (samples: UnreadSamples) => readingsOf(samples, place, samples.shape.length === most);
  const left = narrowed(
    pair,
    { inputs: readings(pair.inputs), responses: readings(pair.responses) },
    question,
  );
  const result = chosen(pair, left, question);
  const hasNone = result.inputs === undefined && result.responses === undefined;
  if (hasNone && (question.asked === "first" || question.asked === "last"))
    throw new OptionError(`${question.path} has no array with an axis of channels: leave out --channels`);
  return result;
}

/** Possible readings of arrays, each the axis of channels. */
type Readings = Readonly<Record<keyof Pair, readonly ChannelAxis[]>>;
/** Readings of both arrays that go together. */
type Combination = Readonly<Record<keyof Pair, ChannelAxis>>;

/** Readings of an array. Of two arrays with different numbers of axes, the larger one has the channels asked for. */
function readingsOf(
  samples: UnreadSamples,
  place: ChannelPlace | undefined,
  isLargest: boolean,
): readonly ChannelAxis[] {
  const { shape, names } = samples;
  const named = names?.findIndex((name) => CHANNEL_NAMES.test(name)) ?? -1;
  if (named >= 0) return [named];
  if (names?.length === shape.length && names.every((name) => name !== "")) return [undefined];
  if (place === "none") return [undefined];
  const own = readingsByShape(samples);
  if (place === undefined) return own;
  const at = place === "first" ? 0 : shape.length - 1;
  if (isLargest && shape.length > 1 && samples.gridRank !== shape.length) return [at];
  const left = own.filter((axis) => axis === undefined || axis === at);
  return left.length > 0 ? left : [undefined];
}

/** Readings of an array by itself. */
function readingsByShape({ shape, gridRank, points }: UnreadSamples): readonly ChannelAxis[] {
  const last = shape.length - 1;
  if (shape.length < 2) return [undefined];
  if (points !== undefined && shape.length === 2) {
    const along = [0, 1].filter((axis) => shape[axis] === points);
    if (along.length === 1) return [1 - along[0]];
  }
  if (gridRank === shape.length) return [undefined];
  if (gridRank === shape.length - 1) return [0, last];
  if (shape.length > 2) return [undefined, 0, last];
  // Two axes are a plane, unless just one of them is long enough for a grid.
  const short = shape.map((length) => length < SHORTEST_SIDE);
  return [short[0] === short[1] ? undefined : short[0] ? 0 : 1];
}

/** Combinations that are left after each rule in turn; a rule that leaves none does not count. */
function narrowed(pair: Pair, readings: Readings, { coordinates }: AxisQuestion): Combination[] {
  const { inputs: a, responses: u } = pair;
  const all = readings.inputs.flatMap((inputs) =>
    readings.responses.map((responses) => ({ inputs, responses })),
  );
  // Channels of both lie at the same end, unless they cannot, or a name says where those of one lie: several arrays that
  // are channels are stacked at the first axis, wherever each of them has its own.
  const isNamed = [a, u].some(({ names }) => names?.some((name) => CHANNEL_NAMES.test(name)));
  const sameEnd = ({ inputs, responses }: Combination) =>
    isNamed || inputs === undefined || responses === undefined || (inputs === 0) === (responses === 0);
  const grids = ({ inputs, responses }: Combination) => [gridOf(a.shape, inputs), gridOf(u.shape, responses)];
  const rules: ((one: Combination) => boolean)[] = [
    ({ responses }) => coordinates !== undefined && fits(gridOf(u.shape, responses), coordinates),
    (one) => grids(one)[0].join() === grids(one)[1].join(),
    sameEnd,
    (one) => grids(one).every((grid) => grid.every((side) => side >= SHORTEST_SIDE)),
  ];
  let left: Combination[] = all;
  for (const rule of rules) {
    if (left.length === 1) break;
    const kept = left.filter(rule);
    if (kept.length > 0) left = kept;
  }
  return left;
}

/** Whether a grid has a side for each length of the coordinates, and no other. */
function fits(grid: readonly number[], coordinates: readonly number[]): boolean {
  const sorted = (lengths: readonly number[]) => [...lengths].sort((a, b) => a - b).join();
  return sorted(grid) === sorted(coordinates);
}

function chosen(pair: Pair, left: readonly Combination[], { path }: AxisQuestion): Combination {
  if (left.length === 1) return left[0];
  const which = new Set(left.map(({ inputs }) => inputs)).size > 1 ? "inputs" : "responses";
  const { shape } = pair[which];
  const readings = [...new Set(left.map((one) => one[which]))].sort((a, b) => (a ?? 99) - (b ?? 99));
  const words = readings.map((axis) => readingInWords(shape, axis));
  const places = readings.map((axis) => (axis === undefined ? "none" : axis === 0 ? "first" : "last"));
  const options = `${places.slice(0, -1).join(", ")} or ${places.at(-1)}`;
  throw new UndecidedError(
    `which axis of ${path} holds channels? A sample of the ${which}, ${shape.join(" x ")}, may be ${words.join(" or ")}: ` +
      `say ${options} with --channels, with "channels" of a study's data, or with an attribute "channels" of the file`,
    places.map((place, i) => ({ words: words[i], options: ["--channels", place] })),
  );
}

function readingInWords(shape: readonly number[], axis: ChannelAxis): string {
  if (axis === undefined) return `one field on ${shape.join(" x ")}`;
  return `${shape[axis]} ${shape[axis] === 1 ? "channel" : "channels"} on ${gridOf(shape, axis).join(" x ")}`;
}

/** Sides of the grid without the axis of channels. */
export const gridOf = (shape: readonly number[], channels: ChannelAxis): number[] =>
  shape.filter((_, axis) => axis !== channels);
