import { FormatError } from "../../errors.js";
import { type NamedShape, nameList, refusedArray } from "../../files/name-list.js";
import type { ArrayFile } from "./array-file.js";
import { splitOutside } from "./arrays/expression.js";

/** Names of inputs and responses in a file. */
export interface ArrayNames {
  readonly inputs: string;
  readonly responses: string;
}

/** Names that people give to inputs and responses, the surest first: ours, DeepXDE's, neuraloperator's, FNO's. */
const PAIRS: readonly ArrayNames[] = [
  { inputs: "train/inputs", responses: "train/responses" },
  { inputs: "train/inputs", responses: "train/outputs" },
  { inputs: "X_train0", responses: "y_train" },
  { inputs: "X_train/0", responses: "y_train" },
  { inputs: "x_train", responses: "y_train" },
  { inputs: "X_train", responses: "y_train" },
  { inputs: "inputs", responses: "responses" },
  { inputs: "inputs", responses: "outputs" },
  { inputs: "input", responses: "output" },
  { inputs: "inputs", responses: "targets" },
  { inputs: "X/0", responses: "y" },
  { inputs: "x", responses: "y" },
  { inputs: "X", responses: "y" },
  { inputs: "X", responses: "Y" },
  { inputs: "a", responses: "u" },
  { inputs: "coeff", responses: "sol" },
];

/** Whether two names are one array: `y`, `/y` and `//y` are. */
export const isSameName = (a: string, b: string): boolean => plainName(a) === plainName(b);

/** A name without the slashes around it. */
export const plainName = (name: string): string => name.split("/").filter(Boolean).join("/");

/** A name without the star that stands for every sample's group. */
const inGroup = (name: string): string => plainName(name).replace(/^\*\//, "");

/** Whether arrays have the names of our own files. */
export const isOwnLayout = ({ inputs, responses }: ArrayNames): boolean =>
  isSameName(inputs, PAIRS[0].inputs) && isSameName(responses, PAIRS[0].responses);

/** Arrays that are responses by their names alone, where nobody needs inputs. */
const RESPONSES = ["train/responses", "responses", "y_train", "outputs", "targets"];

/** Arrays of a file, as names or expressions. */
export interface ChosenNames extends Pick<ArrayNames, "responses"> {
  readonly inputs?: string;
  /** Other arrays of the file, where the names were guessed: the user should be told. */
  readonly passedOver?: readonly string[];
}

/**
 * The arrays of a file that hold inputs and responses: those asked for, else the ones with well-known names. Refuses a
 * file with several such pairs or with none, and lists what it has.
 */
export async function chooseArrays(
  file: ArrayFile,
  asked: Partial<ArrayNames>,
  { needsInputs }: { readonly needsInputs: boolean },
  advice?: string,
): Promise<ChosenNames> {
  const present = await file.list();
  const known = (name: string) => present.find((one) => isSameName(one.name, name))?.name;
  const named = (name?: string) => (name === undefined ? undefined : (known(name) ?? name)); // its reader refuses it
  const [inputs, responses] = [named(asked.inputs), named(asked.responses)];
  if (inputs !== undefined && responses !== undefined) return { inputs, responses };
  const { found, broken } = usualPairs(present);
  const fitting = found.filter(
    (pair) =>
      (inputs === undefined || pair.inputs === inputs) &&
      (responses === undefined || pair.responses === responses),
  );
  const others = (...used: readonly (string | undefined)[]) => {
    const readable = present.filter(({ problem }) => problem === undefined).map(({ name }) => name);
    const rest = readable.filter((name) => !used.includes(name));
    return responses === undefined && rest.length > 0 ? { passedOver: rest } : {};
  };
  // Our own names leave no doubt, whatever else there is; of others only one pair may fit.
  if (fitting.length > 0 && isOwnLayout(fitting[0])) return fitting[0];
  if (fitting.length === 1) return { ...fitting[0], ...others(fitting[0].inputs, fitting[0].responses) };
  if (found.length === 0 && broken !== undefined && (inputs ?? responses) === undefined)
    throw refusedArray(file.path, broken, present);
  if (!needsInputs && fitting.length === 0) {
    const only = present.length === 1 ? present[0].name : undefined;
    const alone = responses ?? RESPONSES.map(known).find((name) => name !== undefined) ?? only;
    if (alone !== undefined)
      return { responses: alone, ...(inputs !== undefined && { inputs }), ...others(alone, inputs) };
  }
  const missing = [
    inputs === undefined && needsInputs ? "--inputs" : undefined,
    responses === undefined ? "--responses" : undefined,
  ].filter(Boolean);
  const what = missing.length === 2 ? "inputs and responses" : missing[0]!.slice(2);
  throw new FormatError(
    `name the ${what} of ${file.path} with ${missing.join(" and ")}: it has ${nameList(present, "no array")}` +
      (advice === undefined ? "" : `. ${advice}`),
  );
}

/** Pairs of arrays with well-known names, the surest first, and an array of such a name that cannot be read. */
export function usualPairs(present: readonly NamedShape[]): {
  readonly found: readonly ArrayNames[];
  readonly broken?: string;
} {
  const usual = (name: string) =>
    (present.find((one) => isSameName(one.name, name)) ?? present.find((one) => inGroup(one.name) === name))
      ?.name;
  let broken: string | undefined;
  const found = PAIRS.flatMap((pair) => {
    const [a, u] = [usual(pair.inputs), usual(pair.responses)];
    if (a === undefined || u === undefined) return [];
    broken ??= [a, u].find((name) => present.some((one) => one.name === name && one.problem !== undefined));
    const isClear = pair.inputs.length > 1; // a single letter may be a coordinate
    return isClear || areSamples(present, a, u) ? [{ inputs: a, responses: u }] : [];
  });
  return { found, ...(broken !== undefined && { broken }) };
}

/** Whether two arrays can be inputs and responses: as many of the one as of the other, at either end. */
function areSamples(present: readonly NamedShape[], inputs: string, responses: string): boolean {
  const shape = (name: string) => present.find((one) => one.name === name)?.shape;
  const [a, u] = [shape(inputs), shape(responses)];
  if (a === undefined || u === undefined || a.length === 0 || u.length === 0) return false;
  if (a.length === 1 && u.length === 1) return false; // coordinates x and y rather
  return a[0] === u[0] || a.at(-1) === u.at(-1);
}

/**
 * The same arrays of the test half: `test` in place of `train`, in the writing that is there. Undefined where one of
 * several names has no such part: training data are no test data.
 */
export function testName(text: string): string | undefined {
  const names = splitOutside(text);
  const tested = names.map((name) =>
    name.replace(/train/i, (found) => (found === "TRAIN" ? "TEST" : found === "Train" ? "Test" : "test")),
  );
  return tested.some((name, i) => name === names[i]) ? undefined : tested.join(", ");
}
