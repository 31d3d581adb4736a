import { type Command, InvalidArgumentError } from "commander";
import { COLORMAP_NAMES, type ColormapName, type Limits } from "../../figures/colormaps.js";
import type { Slice } from "../../figures/samples/chosen-parts.js";
import { collected, number, wholeNumber } from "./arguments.js";

/** Which parts of fields are drawn, and in which colours. */
export interface PictureOptions {
  readonly channel?: readonly string[];
  readonly frame?: readonly number[];
  readonly slice?: readonly Slice[];
  readonly colormap?: readonly ColormapName[];
  readonly limits?: readonly Limits[];
}

/** Adds these options; `pairs` says what two colour maps or limits are for, where a figure takes two. */
export function addPictureFlags(command: Command, pairs = ""): Command {
  return command
    .option(
      "--channel <names...>",
      "channels to draw, by label or by number from 0 (default: all, or the first, the middle and the last of many)",
      collected(String),
    )
    .option(
      "--frame <numbers...>",
      "times to draw of a trajectory, counted from 0 (default: the first, the middle and the last)",
      collected(wholeNumber),
    )
    .option(
      "--slice <axis=place...>",
      "planes to draw of a volume, or lines of a plane: z=16 is point 16 from 0, z=0.5 and z=16.0 the point nearest to this " +
        "coordinate (default: the middle planes)",
      collected(slice),
    )
    .option("--colormap <name>", `colours: ${COLORMAP_NAMES.join(", ")}${pairs}`, collected(colormap))
    .option("--limits <low:high>", `values that scales span, such as -1:1${pairs}`, collected(limits));
}

/** `z=16` as the point 16 of z, `z=0.5` as the point nearest to the coordinate 0.5. */
function slice(text: string): Slice {
  const [, axis, place] = /^([^=]+)=(.+)$/.exec(text.trim()) ?? [];
  if (axis === undefined || !Number.isFinite(Number(place)) || place.trim() === "")
    throw new InvalidArgumentError(`"${text}" is not an axis and a number, such as z=16.`);
  return { axis: axis.trim(), at: Number(place), by: /^\s*\d+\s*$/.test(place) ? "number" : "coordinate" };
}

function colormap(text: string): ColormapName {
  const found = COLORMAP_NAMES.find((name) => name === text.trim().toLowerCase());
  if (found === undefined)
    throw new InvalidArgumentError(`"${text}" is no colour map: there are ${COLORMAP_NAMES.join(", ")}.`);
  return found;
}

/** `-1:1` as the ends of a scale. */
function limits(text: string): Limits {
  const ends = text.split(":").map(number);
  if (ends.length !== 2 || !(ends[0] < ends[1]))
    throw new InvalidArgumentError(`"${text}" is not a low and a higher number, such as -1:1.`);
  return [ends[0], ends[1]];
}
