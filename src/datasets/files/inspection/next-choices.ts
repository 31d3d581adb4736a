import type { NamedShape } from "../../../files/name-list.js";
import { elements } from "../../../numerics/shape.js";
import type { ArrayFile } from "../array-file.js";
import { plainName, usualPairs } from "../array-names.js";
import { openArray } from "../arrays/chosen.js";
import { axisNameOf, coordinateArrays, isTime, storedAxisNames } from "../coordinate-arrays.js";
import type { FileChoice } from "../file-data.js";
import type { MeshAdvice } from "../mesh-advice.js";
import { timeAxisOf } from "../window-choice.js";

/** A way to go on, as options of a command. */
export interface InspectedChoice {
  /** What the options do: `the first frame to the last`. */
  readonly words: string;
  readonly options: readonly string[];
}

/** What decides which choices are proposed. */
interface Found {
  /** Advice on meshes of the samples' own. */
  readonly mesh?: MeshAdvice;
  /** Readings between which the file leaves a choice, once its arrays are known. */
  readonly undecided?: readonly InspectedChoice[];
}

/** Descriptors that are proposed at most. */
const MOST_DESCRIPTORS = 3;

/** Choices that a file leaves, the likeliest first. */
export async function nextChoices(
  file: ArrayFile,
  choice: FileChoice,
  { mesh, undecided }: Found,
): Promise<readonly InspectedChoice[]> {
  if (undecided !== undefined) return undecided;
  if (choice.responses !== undefined) return [];
  if (mesh?.isCertain)
    return mesh.descriptors
      .slice(0, MOST_DESCRIPTORS)
      .map((name) => ({ words: `bins of ${name}`, options: ["--responses", name] }));
  const present = await file.list();
  const usual = usualPairs(present).found;
  return usual.length > 0
    ? usual.map(({ inputs, responses }) => pairOf(inputs, responses))
    : arrayChoices(file, present, choice);
}

const pairOf = (inputs: string, responses: string): InspectedChoice => ({
  words: `${plainName(inputs)} to ${plainName(responses)}`,
  options: ["--inputs", plainName(inputs), "--responses", plainName(responses)],
});

/** Numbers from which on an array is more than coordinates. */
const FEWEST_AXES = 2;

/** Arrays of one shape up to which they are rather channels than data of their own. */
const MOST_CHANNELS = 6;

/** Axes of a square field over time. */
const FIELD_AXES = 4;

/** Whether several frames of an array leave no doubt which axis holds channels: components make two that may, without names. */
async function areChannelsClear(file: ArrayFile, { name, shape }: NamedShape): Promise<boolean> {
  return (
    shape!.length <= FIELD_AXES || storedAxisNames(await openArray(file, name)).some((axis) => axis !== "")
  );
}

/** Choices of arrays without well-known names: frames of the largest, or the largest from another one. */
async function arrayChoices(
  file: ArrayFile,
  present: readonly NamedShape[],
  choice: FileChoice,
): Promise<readonly InspectedChoice[]> {
  const { lists } = coordinateArrays(present, []);
  const candidates = present
    .filter(
      ({ name, shape }) =>
        shape !== undefined &&
        shape.length >= FEWEST_AXES &&
        !(shape.length === 2 && isTime(axisNameOf(name))) && // times of each sample
        !lists.some((one) => one.array === name),
    )
    .sort((a, b) => elements(b.shape!) - elements(a.shape!));
  if (candidates.length === 0) return [];
  // Of arrays that are as large, the inputs mostly come before the responses.
  const isLargest = ({ shape }: NamedShape) => elements(shape!) === elements(candidates[0].shape!);
  const largest = candidates.filter(isLargest).at(-1)!;
  const found: InspectedChoice[] = [];
  const named = (name: string) => plainName(name);
  const isLarge = largest.shape!.length > FEWEST_AXES; // a curve needs no axis of time
  const time = isLarge ? await timeAxisOf(file, largest.name, choice.sampleAxis) : undefined;
  // Fields of one shape, as the velocities and the pressure of a flow, are channels.
  const alike = candidates.filter(({ shape }) => shape!.join() === largest.shape!.join());
  if (time !== undefined) {
    const names =
      alike.length <= MOST_CHANNELS ? alike.map(({ name }) => named(name)).sort() : [named(largest.name)];
    const at = (frames: string) => names.map((name) => `${name}[${":, ".repeat(time)}${frames}]`).join(", ");
    const pair = (words: string, inputs: string, responses: string) =>
      found.push({ words, options: ["--inputs", at(inputs), "--responses", at(responses)] });
    const frames = largest.shape![time];
    pair("the first frame to the last", "0", "-1");
    if (frames >= 4) {
      const half = Math.floor(frames / 2);
      if (names.length === 1 && (await areChannelsClear(file, largest)))
        pair(`the first ${half} frames to the others`, `0:${half}`, `${half}:${frames}`);
      pair("windows: each frame to the next", "t", "t+1");
    }
  }
  const partner = candidates.find(
    ({ name, shape }) => name !== largest.name && shape![0] === largest.shape![0],
  );
  if (partner && (time === undefined || alike.length === 1)) found.push(pairOf(partner.name, largest.name));
  if (found.length === 0 && named(largest.name) !== "")
    found.push({
      words: "responses alone: enough to partition",
      options: ["--responses", named(largest.name)],
    });
  return found;
}
