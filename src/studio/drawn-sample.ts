import type { ArrayDescription, Axis } from "../datasets/dataset.js";
import { usualParameters } from "../datasets/source.js";
import { isSource, sourceOf } from "../datasets/sources.js";
import { plainPanels } from "../figures/samples/plain-view.js";
import { isImage, type SamplePanel, type SamplePanels } from "../figures/samples/sample-panel.js";
import { isTimed, stylePanels } from "../figures/samples/sample-views.js";
import { channelOf, type SampledField, withoutSingletons } from "../figures/samples/sampled-field.js";
import type { DataFacts, SampleView } from "./lab/lab.js";
import { sampledField } from "./page/parts/field/sampled.js";

/** Which parts of samples are drawn. */
export interface DrawnParts {
  /** Label or number of a channel; empty for all of them. */
  readonly channel: string;
  /** Number of a frame of trajectories; -1 for the last. */
  readonly frame: number;
  /** Number of the plane through volumes along axes; the middle one where nothing is said. */
  readonly slices: Readonly<Record<string, number>>;
}

export const ALL_PARTS: DrawnParts = { channel: "", frame: -1, slices: {} };

/** What can be chosen of a field that is more than a picture. */
export interface FieldParts {
  /** Labels or numbers of the channels, if there are several. */
  readonly channels: readonly string[];
  /** The axis of time of a trajectory. */
  readonly time?: Axis;
  /** The axes of a volume, which is drawn by three planes. */
  readonly planes: readonly Axis[];
}

/** Channels that are drawn at once. */
export const MOST_CHANNELS = 4;

/** Frames that are channels for a model are frames for the eye. */
const asSeen = <A extends Pick<Axis, "kind" | "name">>(axis: A): A =>
  axis.kind === "channel" && isTimed({ axes: [axis] }) ? { ...axis, kind: "time" } : axis;

/** The parts of an array's samples. */
export function partsOfArray({ axes }: Pick<ArrayDescription, "axes">): FieldParts {
  const long = axes.filter(({ length }) => length > 1).map(asSeen);
  const hasChannels = long.length > 1 && long[0].kind === "channel";
  const grid = hasChannels ? long.slice(1) : long;
  const time = grid.length > 2 ? grid.find((axis) => isTimed({ axes: [axis] })) : undefined;
  const rest = grid.filter((axis) => axis !== time);
  return {
    channels: hasChannels
      ? Array.from({ length: long[0].length }, (_, i) => long[0].labels?.[i] ?? String(i))
      : [],
    ...(time && { time }),
    planes: rest.length === 3 ? rest : [],
  };
}

/** A sample as panels: in the style of its source, or by its axes. */
export function drawnPanels(facts: DataFacts, view: SampleView, parts: DrawnParts): SamplePanels {
  const { input, response } = fieldsOf(facts, view);
  const style = parts.channel === "" && input ? styleOf(facts) : undefined;
  if (style && input) return stylePanels(style, { input, response });
  const { inputs, responses } = facts.description;
  const isAlike = inputs.label === responses.label;
  const plain = (field: SampledField, array: ArrayDescription, heading: string) =>
    withoutSingletons(field).shape.length === 0
      ? []
      : plainPanels(field, {
          ...labelled(array, isAlike ? heading : undefined),
          ...chosen(array, parts),
        });
  return {
    input: input ? plain(input, inputs, "Input") : [],
    response: plain(response, responses, "Response"),
  };
}

/** An input or a response that is one number: it is told, not drawn. */
export const isOneNumber = ({ axes }: Pick<ArrayDescription, "axes">): boolean =>
  axes.every(({ length }) => length === 1);

/** Values of a sample that share a scale, whichever of its parts are drawn. */
export interface Measured {
  readonly quantity: string;
  readonly values: ArrayLike<number>;
  /** Share of the values that the scale spans, where the largest are cut off. */
  readonly share?: number;
}

/** The values of a sample, quantity by quantity. */
export function measuredOf(facts: DataFacts, view: SampleView, channel: string): Measured[] {
  const { input, response } = fieldsOf(facts, view);
  if (channel === "" && input && styleOf(facts)) {
    const { input: before, response: after } = drawnPanels(facts, view, ALL_PARTS);
    return [...before, ...after].map(measuredPanel);
  }
  const whole = (field: SampledField, which: "input" | "response"): Measured[] => {
    const long = withoutSingletons(field);
    if (long.shape.length === 0) return [];
    const array = facts.description[which === "input" ? "inputs" : "responses"];
    const { channels } = partsOfArray(array);
    if (channels.length === 0) {
      const [panel] = drawnPanels(facts, view, { ...ALL_PARTS, channel })[which];
      return panel ? [{ quantity: panel.quantity, values: long.values }] : [];
    }
    return chosenChannels(channels, channel).flatMap((name) => {
      const [panel] = drawnPanels(facts, view, { ...ALL_PARTS, channel: name })[which];
      return panel
        ? [{ quantity: panel.quantity, values: channelOf(long, channels.indexOf(name)).values }]
        : [];
    });
  };
  return [...(input ? whole(input, "input") : []), ...whole(response, "response")];
}

function measuredPanel(panel: SamplePanel): Measured {
  if (!isImage(panel)) return { quantity: panel.quantity, values: panel.curve.y };
  const share = panel.colors?.share;
  return {
    quantity: panel.quantity,
    values: panel.image.values,
    ...(share !== undefined && { share }),
  };
}

function fieldsOf({ description, coordinates }: DataFacts, { input, response }: SampleView) {
  return {
    ...(input && { input: seen(sampledField(description.inputs, coordinates, input)) }),
    response: seen(sampledField(description.responses, coordinates, response)),
  };
}

const seen = (field: SampledField): SampledField => ({
  ...field,
  axes: field.axes.map((axis) => asSeen({ kind: "space", ...axis })),
});

/** Whether frames of an array are its channels, by which commands draw them. */
export const areFramesChannels = ({ axes }: Pick<ArrayDescription, "axes">): boolean =>
  axes[0]?.kind === "channel" && asSeen(axes[0]).kind === "time";

/** Whether samples are drawn as their source does, with all of their channels. */
export const isStyled = (facts: Pick<DataFacts, "description" | "isAlone">): boolean =>
  !facts.isAlone && styleOf(facts) !== undefined;

/** How the source of the data draws its samples, where they have its axes and names. */
function styleOf({ description: { name, inputs, responses } }: Pick<DataFacts, "description">) {
  if (!isSource(name)) return undefined;
  const source = sourceOf(name);
  const usual = source.geometry(usualParameters(source));
  const isLike = (array: ArrayDescription, own: ArrayDescription) =>
    array.label === own.label && array.unit === own.unit && array.axes.length === own.axes.length;
  return isLike(inputs, usual.inputs) && isLike(responses, usual.responses) ? source.picture : undefined;
}

const labelled = ({ label, unit }: ArrayDescription, heading: string | undefined) => ({
  // "input" and "response" are what plain panels call arrays without a name of their own.
  label: label === "input" ? "Input" : label === "response" ? "Response" : label,
  ...(unit !== undefined && { unit }),
  ...(heading !== undefined && { heading }),
});

function chosen(array: ArrayDescription, { channel, frame, slices }: DrawnParts) {
  const { channels, time, planes } = partsOfArray(array);
  const at = (axis: Axis) => Math.min(axis.length - 1, slices[axis.name] ?? Math.floor(axis.length / 2));
  return {
    ...(channels.length > 0 && { channels: chosenChannels(channels, channel) }),
    ...(time && { frames: [frame < 0 ? time.length - 1 : Math.min(frame, time.length - 1)] }),
    ...(planes.length > 0 && {
      slices: planes.map((axis) => ({ axis: axis.name, at: at(axis), by: "number" as const })),
    }),
  };
}

/** The channel that is chosen, where there is one of that name, else the first ones. */
const chosenChannels = (channels: readonly string[], channel: string): readonly string[] =>
  channels.includes(channel) ? [channel] : channels.slice(0, MOST_CHANNELS);
