import type { Axis } from "../../../../datasets/dataset.js";
import { type FieldParts, isStyled, MOST_CHANNELS, partsOfArray } from "../../../drawn-sample.js";
import type { DataFacts } from "../../../lab/lab.js";
import { slicesIn, slicesText } from "../../../sample-slices.js";
import { ChoiceControl } from "../../parts/controls.js";
import { shortNumber } from "../../parts/field/readout.js";
import { SelectField, SliderField } from "../../parts/fields.js";
import { change, settings } from "../../state.js";
import { facts } from "./state.js";
import { DATA_WORDS } from "./words.js";

/** What is drawn of a sample: channels, the frame of a trajectory, planes of a volume, colours. */
export function PictureSide() {
  const found = facts.value;
  if (!found) return null;
  const { inputs, responses } = found.description;
  const all = [...(found.isAlone ? [] : [partsOfArray(inputs)]), partsOfArray(responses)];
  const channels = [...new Set(all.flatMap((one) => one.channels))];
  const time = longest(all.map((one) => one.time));
  return (
    <fieldset class="group picture-side">
      <legend>Picture</legend>
      {channels.length > 0 && <ChannelField channels={channels} areAllDrawn={isStyled(found)} />}
      {time && <FrameField facts={found} time={time} />}
      {planesOf(all).map((axis) => (
        <PlaneField key={axis.name} facts={found} axis={axis} />
      ))}
      <ChoiceControl
        name="scale"
        term="scale"
        label="Colours"
        words={(value) => (value === "data" ? "one scale for all samples" : "one scale for each sample")}
      />
    </fieldset>
  );
}

const longest = (axes: readonly (Axis | undefined)[]): Axis | undefined =>
  axes.reduce((best, axis) => (axis && (!best || axis.length > best.length) ? axis : best), undefined);

/** The axes of volumes, each once, with as many points as any of them has. */
const planesOf = (all: readonly FieldParts[]): readonly Axis[] =>
  [...new Set(all.flatMap(({ planes }) => planes.map(({ name }) => name)))].map(
    (name) => longest(all.flatMap(({ planes }) => planes.filter((axis) => axis.name === name)))!,
  );

interface ChannelFieldProps {
  readonly channels: readonly string[];
  readonly areAllDrawn: boolean;
}

function ChannelField({ channels, areAllDrawn }: ChannelFieldProps) {
  const { channel } = settings.value;
  const every = channels.length > MOST_CHANNELS && !areAllDrawn ? `the first ${MOST_CHANNELS}` : "all";
  return (
    <SelectField
      entry={DATA_WORDS.channel}
      value={channels.includes(channel) ? channel : ""}
      onChange={(chosen) => change({ channel: chosen })}
      values={[{ value: "", words: every }, ...channels.map((name) => ({ value: name, words: name }))]}
    />
  );
}

function FrameField({ facts: found, time }: { readonly facts: DataFacts; readonly time: Axis }) {
  const last = time.length - 1;
  const { frame } = settings.value;
  const at = frame < 0 ? last : Math.min(frame, last);
  return (
    <SliderField
      entry={DATA_WORDS.frame}
      value={at}
      most={last}
      words={placeWords(found, time, at)}
      onChange={(chosen) => change({ frame: chosen === last ? -1 : chosen })}
    />
  );
}

function PlaneField({ facts: found, axis }: { readonly facts: DataFacts; readonly axis: Axis }) {
  const slices = slicesIn(settings.value.slice);
  const middle = Math.floor(axis.length / 2);
  const at = Math.min(axis.length - 1, slices[axis.name] ?? middle);
  return (
    <SliderField
      entry={{
        label: `Plane at ${axis.name}`,
        meaning: `The plane through the volume at this ${axis.name}.`,
      }}
      value={at}
      most={axis.length - 1}
      words={placeWords(found, axis, at)}
      onChange={(chosen) => {
        const { [axis.name]: _, ...others } = slices;
        change({ slice: slicesText(chosen === middle ? others : { ...others, [axis.name]: chosen }) });
      }}
    />
  );
}

/** `t = 0.5 s`, or the number of a point without coordinates. */
function placeWords({ coordinates }: DataFacts, { name, unit, coordinates: key }: Axis, at: number): string {
  const points = key === undefined ? undefined : coordinates[key];
  if (points?.dimensions !== 1) return String(at);
  return `${name} = ${shortNumber(points.values[at])}${unit === undefined ? "" : ` ${unit}`}`;
}
