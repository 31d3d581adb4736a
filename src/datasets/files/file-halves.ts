import { FormatError, OptionError } from "../../errors.js";
import type { NamedShape } from "../../files/name-list.js";
import type { FileStore } from "../../files/store/file-store.js";
import type { FileData } from "../dataset.js";
import type { ArrayFile, NamedArray } from "./array-file.js";
import { type ArrayNames, chooseArrays, isOwnLayout, isSameName, testName } from "./array-names.js";
import { openChosen, selectionsIn } from "./arrays/chosen.js";
import type { FileChoice, Hashing } from "./file-data.js";
import { rangeOfGroups } from "./sample-groups.js";
import { openArrayFiles } from "./several-files.js";
import { LAST_PART_WORDS, lastPart, parseTest } from "./test-samples.js";

/** One of inputs and one of responses. */
export type Pair<T> = Readonly<Record<"inputs" | "responses", T>>;

interface SplitQuestion {
  readonly choice: FileChoice;
  readonly names: ArrayNames;
  /** Samples first. */
  readonly arrays: Pair<NamedArray>;
  readonly samples: number;
  readonly present: readonly NamedShape[];
  /** Samples that stay together. */
  readonly groups?: Int32Array;
  /** All samples are for training. */
  readonly isWhole?: boolean;
  readonly hash: Hashing["file"];
}

/** Which samples are for training and which for testing: as asked, as the file has them, or the last fifth. */
export async function testSamplesOf(
  store: FileStore,
  file: ArrayFile,
  { choice, names, arrays, samples, present, groups, isWhole, hash }: SplitQuestion,
): Promise<Pick<FileData, "train" | "test" | "testing" | "layouts">> {
  const known = (text: string) => {
    const held = testName(text);
    return held !== undefined && areThere(present, held)
      ? (present.find((one) => isSameName(one.name, held))?.name ?? held)
      : undefined;
  };
  const own = { inputs: known(names.inputs), responses: known(names.responses) };
  if (isWhole) {
    if ((own.inputs ?? own.responses) === undefined) return { train: samples, test: 0 };
    throw new OptionError(
      `${file.path} has test samples of its own, ${own.responses ?? own.inputs}: leave out --test none`,
    );
  }
  const asked = choice.test === undefined ? undefined : parseTest(store, choice.test, samples);
  const ofSamples = (range: readonly [number, number], isExact: boolean, chosen?: string) => {
    const [start, end] = groups ? rangeOfGroups(range, groups, isExact) : range;
    const words = chosen === undefined ? {} : { chosen };
    return {
      train: samples - (end - start),
      test: end - start,
      testing: { range: [start, end] as const, ...words },
    };
  };
  if (asked && "range" in asked && (own.inputs ?? own.responses) !== undefined)
    throw new OptionError(
      `${file.path} has test samples of its own, ${own.responses ?? own.inputs}: leave out --test, or name a file`,
    );
  if (asked && "range" in asked) return ofSamples(asked.range, choice.test!.includes(":"));
  if (asked) {
    const second = await openArrayFiles(store, asked.file, {
      sampleAxis: choice.sampleAxis,
      layouts: choice.layout === "plain" ? [] : undefined,
    });
    try {
      if ((await second.list()).some(({ name }) => name === ""))
        throw new OptionError(
          `${asked.file} is a single array: the test file has inputs and responses under names`,
        );
      const held = await namesInTestFile(second, names, choice);
      const test = await testCount(second, held, arrays, choice);
      const testing = { file: asked.file, sha256: await hash(asked.file), ...held };
      return { train: samples, test, testing, ...(second.layouts && { layouts: second.layouts }) };
    } finally {
      await second.close();
    }
  }
  if (own.inputs !== undefined && own.responses !== undefined) {
    const held = { inputs: own.inputs, responses: own.responses };
    const test = await testCount(file, held, arrays, choice);
    return { train: samples, test, ...(!isOwnLayout(names) && { testing: held }) };
  }
  if ((own.inputs ?? own.responses) !== undefined)
    throw new FormatError(
      `${file.path} has ${own.inputs ?? own.responses} but no ${own.inputs === undefined ? testName(names.inputs) : testName(names.responses)}`,
    );
  return ofSamples(lastPart(samples, file.path), false, LAST_PART_WORDS);
}

/** Whether a file has all arrays of an expression. */
const areThere = (present: readonly NamedShape[], text: string): boolean =>
  selectionsIn(present, text).every(({ name }) => present.some((one) => isSameName(one.name, name)));

/** Arrays of a second file: named as those of the first, as its test half would be, or in the usual way. */
async function namesInTestFile(file: ArrayFile, names: ArrayNames, choice: FileChoice): Promise<ArrayNames> {
  const present = await file.list();
  const pick = (text: string) =>
    [testName(text), text].find((one) => one !== undefined && areThere(present, one));
  const [inputs, responses] = [pick(names.inputs), pick(names.responses)];
  if (inputs !== undefined && responses !== undefined) return { inputs, responses };
  const text = (given: FileChoice["inputs"]) => (typeof given === "object" ? given.join(", ") : given);
  const found = await chooseArrays(
    file,
    { inputs: text(choice.inputs), responses: text(choice.responses) },
    { needsInputs: true },
  );
  return { inputs: found.inputs!, responses: found.responses };
}

/** Number of test samples; they have the shape of those for training. */
async function testCount(
  file: ArrayFile,
  held: ArrayNames,
  arrays: Pair<NamedArray>,
  { sampleAxis, windowStep }: FileChoice,
): Promise<number> {
  const found = await openChosen(
    { inputs: { file, text: held.inputs }, responses: { file, text: held.responses } },
    { sampleAxis, windowStep },
  );
  const tests = { inputs: found.inputs!, responses: found.responses };
  for (const which of ["inputs", "responses"] as const) {
    const [trained, tested] = [arrays[which].shape, tests[which].shape];
    if (trained.slice(1).join() === tested.slice(1).join()) continue;
    const isLast = trained.slice(0, -1).join() === tested.slice(0, -1).join();
    throw new FormatError(
      `${file.path} has ${which} of ${trained.slice(1).join(" x ")} for training but of ${tested.slice(1).join(" x ")} for testing` +
        (isLast && sampleAxis !== "last"
          ? ": add --sample-axis last if samples lie along the last axis"
          : ""),
    );
  }
  const counts = [tests.inputs.shape[0], tests.responses.shape[0]];
  if (counts[0] !== counts[1])
    throw new FormatError(`${file.path} has ${counts[0]} test inputs but ${counts[1]} responses`);
  return counts[0];
}
