import { DataError, FormatError, OptionError, UndecidedError } from "../../errors.js";
import { nameList } from "../../files/name-list.js";
import type { FileStore } from "../../files/store/file-store.js";
import { elements } from "../../numerics/shape.js";
import type { AxisEnd } from "./array-axes.js";
import type { ArrayFile, NamedArray } from "./array-file.js";
import { type ChosenNames, chooseArrays, isSameName } from "./array-names.js";
import { type ChosenArrays, openChosen, openSelection, selectionsIn } from "./arrays/chosen.js";
import { parseSelections } from "./arrays/expression.js";
import type { LayoutChoice } from "./layouts/layout.js";
import { meshAdvice } from "./mesh-advice.js";
import { openArrayFiles } from "./several-files.js";
import { windowExpressions } from "./window-choice.js";

/** Which arrays of a file are data, as a user says. */
export interface ArrayChoice {
  /**
   * Names of arrays, with slices if wanted (`u[:, 0]`), several for channels. For a file of one array without a name,
   * `inputs` is another such file.
   */
  readonly inputs?: string | readonly string[];
  readonly responses?: string | readonly string[];
  /** Which axis counts samples, in the shape that `inspect` shows. */
  readonly sampleAxis?: AxisEnd;
  /** Windows of trajectories: frames in and out, `4:1`. */
  readonly window?: string;
  /** Frames between the starts of two windows. */
  readonly windowStep?: number;
  /** `plain` to read arrays as they are stored, whatever convention the file follows. */
  readonly layout?: LayoutChoice;
}

/** Arrays of a file, opened: what they are called, and inputs and responses with samples first. */
export interface DataArrays extends ChosenArrays {
  readonly file: ArrayFile;
  readonly names: ChosenNames;
  /** The file of the inputs, where they have one of their own. */
  readonly inputsFile?: string;
  /** What should be known of the file before its numbers are believed. */
  readonly advice?: string;
  close(): Promise<void>;
}

interface OpenArraysOptions {
  readonly needsInputs: boolean;
  /** Conventions that a record names. */
  readonly layouts?: readonly string[];
  /** Names that a record of another file gives; a file of one array without a name passes over them. */
  readonly notedNames?: readonly (string | undefined)[];
}

/** Opens the arrays that a user chooses, or that their names tell; inputs and responses have equally many samples. */
export async function openDataArrays(
  store: FileStore,
  path: string,
  choice: ArrayChoice,
  { needsInputs, layouts, notedNames = [] }: OpenArraysOptions,
): Promise<DataArrays> {
  const { sampleAxis, windowStep } = choice;
  const open = (one: string) =>
    openArrayFiles(store, one, {
      layouts: layouts ?? (choice.layout === "plain" ? [] : undefined),
      sampleAxis,
    });
  const files = [await open(path)];
  const close = async () => void (await Promise.all(files.map((file) => file.close())));
  try {
    const [file] = files;
    const isNameless = (await file.list()).some(({ name }) => name === "");
    const asked = { inputs: joined(choice.inputs), responses: joined(choice.responses) };
    const advice = meshAdvice(await file.list());
    let inputsFile: string | undefined;
    let names: ChosenNames;
    if (isNameless) {
      const own = (name?: string) => (name?.startsWith("[") || !notedNames.includes(name) ? name : undefined);
      const given = namelessChoice(
        path,
        { inputs: own(asked.inputs), responses: own(asked.responses) },
        choice.window,
        needsInputs,
      );
      ({ inputsFile } = given);
      names = given.names;
      if (inputsFile !== undefined) {
        files.push(await open(inputsFile));
        await checkSingle(files[1], path);
      }
    } else {
      for (const text of [asked.inputs, asked.responses])
        if (text !== undefined) await checkChosen(file, text, sampleAxis, advice?.line);
      const isWindow = choice.window !== undefined; // inputs and responses are then frames of one array
      names = await chooseArrays(file, asked, { needsInputs: needsInputs && !isWindow }, advice?.line);
      if (advice?.isCertain && asked.responses === undefined)
        throw new FormatError(`${path}: ${advice.line}`);
    }
    if (choice.window !== undefined)
      names = {
        ...names,
        ...(await windowExpressions(
          file,
          isNameless ? names : { ...names, inputs: asked.inputs },
          choice.window,
          sampleAxis,
        )),
      };
    const arrays = await openChosen(
      {
        ...(names.inputs !== undefined && { inputs: { file: files[1] ?? file, text: names.inputs } }),
        responses: { file, text: names.responses },
      },
      { sampleAxis, windowStep },
    );
    check(file, arrays, sampleAxis);
    const said = advice ?? (inputsFile === undefined ? undefined : adviceOnFiles(inputsFile, path, arrays));
    return {
      ...arrays,
      file,
      names,
      ...(inputsFile !== undefined && { inputsFile }),
      ...(said !== undefined && { advice: said.line }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Advice for inputs and responses in files of one array each, whose names tell what they hold. */
function adviceOnFiles(inputsFile: string, path: string, { inputs, responses }: ChosenArrays) {
  const name = (file: string) => file.split(/[\\/]/).at(-1)!;
  return meshAdvice([
    { name: name(inputsFile), shape: inputs!.shape },
    { name: name(path), shape: responses.shape },
  ]);
}

/** Refuses names and slices that a file does not have, before others are asked for. */
async function checkChosen(
  file: ArrayFile,
  text: string,
  sampleAxis: AxisEnd | undefined,
  advice: string | undefined,
): Promise<void> {
  const present = await file.list();
  for (const selection of selectionsIn(present, text)) {
    const known = present.find(({ name }) => isSameName(name, selection.name));
    if (known !== undefined && selection.parts === undefined && known.ragged === undefined) continue;
    try {
      await openSelection(file, selection, sampleAxis); // its reader knows why it is not there
    } catch (error) {
      if (known === undefined && error instanceof FormatError) throw new OptionError(error.message);
      if (known?.ragged === undefined || advice === undefined) throw error;
      throw new DataError(`${(error as Error).message}. ${advice}`);
    }
  }
}

/** Refuses a file of inputs with named arrays, of which none could be chosen. */
async function checkSingle(inputs: ArrayFile, path: string): Promise<void> {
  const present = await inputs.list();
  if (present.some(({ name }) => name === "")) return;
  throw new OptionError(
    `${inputs.path} has ${nameList(present, "no array")}: the file of inputs for ${path} holds a single array without a name, ` +
      "as numpy.save writes it",
  );
}

/** Several names as one text. */
const joined = (names: ArrayChoice["inputs"]): string | undefined =>
  names === undefined || typeof names === "string" ? names : names.join(", ");

/** Names for a file of one array without a name: its slice, and the file of the inputs. */
function namelessChoice(
  path: string,
  { inputs, responses }: { readonly inputs?: string; readonly responses?: string },
  window: string | undefined,
  needsInputs: boolean,
): { readonly names: ChosenNames; readonly inputsFile?: string } {
  if (responses !== undefined && !responses.startsWith("["))
    throw new FormatError(
      `${path} is a single array without a name: leave out --responses, or give a slice alone, such as "[:, 0]"`,
    );
  if (inputs === undefined && needsInputs && window === undefined)
    throw new FormatError(`${path} is a single array of responses: name the file of inputs with --inputs`);
  if (inputs === undefined) return { names: { responses: responses ?? "" } };
  if (inputs.startsWith("[")) return { names: { inputs, responses: responses ?? "" } };
  const [{ name, text }, ...others] = parseSelections(inputs);
  if (others.length > 0) throw new OptionError(`--inputs ${inputs}: name one file of inputs`);
  return { names: { inputs: text.slice(name.length).trim(), responses: responses ?? "" }, inputsFile: name };
}

function check(file: ArrayFile, { inputs, responses }: ChosenArrays, sampleAxis?: AxisEnd): void {
  const { path } = file;
  for (const [which, array] of [["inputs", inputs] as const, ["responses", responses] as const]) {
    if (array && elements(array.shape) === 0)
      throw new DataError(`the ${which} of ${path} are empty: their shape is ${array.shape.join(" x ")}`);
  }
  if (inputs && inputs.shape[0] !== responses.shape[0])
    throw contradiction(path, { inputs, responses }, sampleAxis);
  const isMatlab = file.format === "mat5" || file.layouts?.includes("matlab") === true;
  if (isMatlab && sampleAxis === undefined) checkMatlab(path, { inputs, responses });
}

/**
 * MATLAB's users put samples first or last. Where the last axis is the longer one, or the first two are as long as each
 * other, both readings are plausible.
 */
function checkMatlab(path: string, { inputs, responses }: ChosenArrays): void {
  const { shape } = responses;
  const last = shape.at(-1)!;
  const isShorter = last < shape[0] && (shape.length === 2 || shape[0] !== shape[1]); // a square may be the grid
  if (shape.length < 2 || isShorter || (inputs && inputs.shape.at(-1) !== last)) return;
  const choice = (end: AxisEnd, count: number) => ({
    words: `${count} samples`,
    options: ["--sample-axis", end],
  });
  throw new UndecidedError(
    `${path} was saved by MATLAB, and the responses are ${shape.join(" x ")}: say which axis counts samples, ` +
      `--sample-axis first for ${shape[0]} samples or --sample-axis last for ${last}`,
    [choice("first", shape[0]), choice("last", last)],
  );
}

/** Inputs and responses that differ in their number; said with the axis along which they would agree. */
function contradiction(
  path: string,
  { inputs, responses }: { readonly inputs: NamedArray; readonly responses: NamedArray },
  sampleAxis?: AxisEnd,
): UndecidedError {
  const [a, u] = [inputs.shape, responses.shape];
  const other = sampleAxis === "last" ? "first" : "last";
  // Samples come first here: those along the other end were moved from there, or are still there.
  const ends = sampleAxis === "last" ? [a[1], u[1]] : [a.at(-1), u.at(-1)];
  const agree = a.length > 1 && u.length > 1 && ends[0] === ends[1];
  const hint = agree
    ? `: if samples lie along the ${other} axis (${ends[0]} of each), add --sample-axis ${other}`
    : "";
  return new UndecidedError(
    `${path} has ${u[0]} responses but ${a[0]} inputs, of ${u.join(" x ")} and ${a.join(" x ")} values${hint}`,
    agree ? [{ words: `${ends[0]} samples`, options: ["--sample-axis", other] }] : [],
  );
}
