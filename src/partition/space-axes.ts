import type { AxisKind } from "../datasets/dataset.js";
import { fieldSize } from "../datasets/fields.js";
import { DataError } from "../errors.js";
import { elements } from "../numerics/shape.js";
import type { RepresentedData } from "./representation.js";

/** Points of a grid below which numbers are no field. */
const FEWEST_POINTS = 8;

/** The grid of a response: its axes of space, and how the lines along them lie in its numbers. */
export interface SpaceAxes {
  /** Axes of space, and the others, along which fields stand apart. */
  readonly space: readonly number[];
  readonly apart: readonly number[];
  readonly shape: readonly number[];
  /** Distance in the numbers between neighbours along every axis. */
  readonly strides: readonly number[];
}

/** Which axes of the responses are space: all but channels and time. Refuses what is no grid. */
export function spaceAxes({ responses, axes }: RepresentedData, name: string): SpaceAxes {
  const { shape } = responses;
  if (axes && axes.length !== shape.length)
    throw new DataError(`${axes.length} kinds of axes for responses of ${shape.length} axes`);
  const kinds = axes ?? shape.map((): AxisKind => "space");
  if (kinds.includes("point"))
    throw new DataError(
      `the responses lie at a list of points, which has no grid for the representation ${name}: take pca:20, or arrays ` +
        "of descriptors",
    );
  const all = shape.map((_, axis) => axis);
  const space = all.filter((axis) => kinds[axis] === "space" && shape[axis] > 1);
  if (elements(space.map((axis) => shape[axis])) < FEWEST_POINTS)
    throw new DataError(
      `the responses have ${fieldSize(responses)} numbers each (${shape.join(" x ") || "1"}), which are no field on a grid: ` +
        `the representation ${name} needs ${FEWEST_POINTS} points in space or more`,
    );
  return {
    space,
    apart: all.filter((axis) => !space.includes(axis)),
    shape,
    strides: all.map((axis) => elements(shape.slice(axis + 1))),
  };
}

/** What was taken for space, in one sentence. */
export function spaceWords(data: RepresentedData, { space, apart, shape }: SpaceAxes): string {
  const axes = (list: readonly number[]) => list.map((axis) => `${shape[axis]}`).join(" x ");
  const known = data.axes
    ? apart.map((axis) => `${shape[axis]} ${KINDS[data.axes![axis]]}`).join(" and ")
    : "";
  return (
    `Of responses of ${shape.join(" x ")}, ${axes(space)} points are space` +
    (apart.length > 0
      ? `; ${known || axes(apart)} stand apart.`
      : data.axes
        ? "."
        : ", since no axis says otherwise.")
  );
}

const KINDS: Readonly<Record<AxisKind, string>> = {
  channel: "channels",
  time: "times",
  space: "single points",
  point: "points",
};

/** Where the numbers of each field that stands apart begin, in C order of the axes apart. */
export function fieldStarts({ apart, shape, strides }: SpaceAxes): number[] {
  return apart.reduce(
    (starts, axis) =>
      starts.flatMap((start) => Array.from({ length: shape[axis] }, (_, i) => start + i * strides[axis])),
    [0],
  );
}

/** Places of the points of one field, relative to its start, in C order of the axes of space. */
export function fieldPoints({ space, shape, strides }: SpaceAxes): number[] {
  return fieldStarts({ apart: space, shape, strides, space });
}
