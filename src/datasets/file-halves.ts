import { FormatError, OptionError } from "../errors.js";
import type { NamedShape } from "../files/name-list.js";
import { type ArrayFile, type NamedArray, openArrayFile } from "./array-file.js";
import { type ArrayNames, chooseArrays, isOwnLayout, isSameName, testName } from "./array-names.js";
import type { FileData } from "./dataset.js";
import type { FileChoice } from "./file-data.js";
import { fileSha256 } from "./file-hash.js";
import { LAST_PART_WORDS, lastPart, parseTest } from "./test-samples.js";

/** One of inputs and one of responses. */
export type Pair<T> = Readonly<Record<"inputs" | "responses", T>>;

interface SplitQuestion {
  readonly choice: FileChoice;
  readonly names: ArrayNames;
  readonly arrays: Pair<NamedArray>;
  readonly orders: Pair<readonly number[]>;
  readonly samples: number;
  readonly present: readonly NamedShape[];
}

/** Which samples are for training and which for testing: as asked, as the file has them, or the last fifth. */
export async function testSamplesOf(
  file: ArrayFile,
  { choice, names, arrays, orders, samples, present }: SplitQuestion,
): Promise<Pick<FileData, "train" | "test" | "testing">> {
  const known = (name?: string) =>
    present.find((one) => name !== undefined && isSameName(one.name, name))?.name;
  const own = { inputs: known(testName(names.inputs)), responses: known(testName(names.responses)) };
  const asked = choice.test === undefined ? undefined : parseTest(choice.test, samples);
  if (asked && "range" in asked && (own.inputs ?? own.responses) !== undefined)
    throw new OptionError(
      `${file.path} has test samples of its own, ${own.responses ?? own.inputs}: leave out --test, or name a file`,
    );
  if (asked && "range" in asked)
    return {
      train: samples - (asked.range[1] - asked.range[0]),
      test: asked.range[1] - asked.range[0],
      testing: asked,
    };
  if (asked) {
    const second = await openArrayFile(asked.file);
    try {
      if (second.format === "npy")
        throw new OptionError(
          `${asked.file} is a single array: the test file is HDF5 or NPZ and has inputs and responses`,
        );
      const held = await namesInTestFile(second, names, choice);
      const test = await testCount(second, held, arrays, orders, choice);
      const testing = { file: asked.file, sha256: await fileSha256(asked.file), ...held };
      return { train: samples, test, testing };
    } finally {
      await second.close();
    }
  }
  if (own.inputs !== undefined && own.responses !== undefined) {
    const held = { inputs: own.inputs, responses: own.responses };
    const test = await testCount(file, held, arrays, orders, choice);
    return { train: samples, test, ...(!isOwnLayout(names) && { testing: held }) };
  }
  if ((own.inputs ?? own.responses) !== undefined)
    throw new FormatError(
      `${file.path} has ${own.inputs ?? own.responses} but no ${own.inputs === undefined ? testName(names.inputs) : testName(names.responses)}`,
    );
  const range = lastPart(samples, file.path);
  return {
    train: range[0],
    test: range[1] - range[0],
    testing: { range, chosen: LAST_PART_WORDS },
  };
}

/** Arrays of a second file: named as those of the first, as its test half would be, or in the usual way. */
async function namesInTestFile(file: ArrayFile, names: ArrayNames, choice: FileChoice): Promise<ArrayNames> {
  const present = await file.list();
  const pick = (name: string) =>
    present.find((one) => isSameName(one.name, testName(name) ?? name))?.name ??
    present.find((one) => isSameName(one.name, name))?.name;
  const [inputs, responses] = [pick(names.inputs), pick(names.responses)];
  if (inputs !== undefined && responses !== undefined) return { inputs, responses };
  return chooseArrays(file, { inputs: choice.inputs, responses: choice.responses });
}

/** Number of test samples; they have the shape of those for training. */
async function testCount(
  file: ArrayFile,
  held: ArrayNames,
  arrays: Pair<NamedArray>,
  orders: Pair<readonly number[]>,
  { sampleAxis }: FileChoice,
): Promise<number> {
  const counts = [];
  for (const which of ["inputs", "responses"] as const) {
    const { shape } = await file.array(held[which]);
    const order = orders[which];
    const [trained, tested] = [arrays[which].shape, shape].map((one) =>
      order.slice(1).map((axis) => one[axis]),
    );
    if (trained.join() !== tested.join() || shape.length !== arrays[which].shape.length) {
      const isLast = arrays[which].shape.slice(0, -1).join() === shape.slice(0, -1).join();
      throw new FormatError(
        `${file.path} has ${which} of ${trained.join(" x ")} for training but of ${tested.join(" x ")} for testing` +
          (isLast && sampleAxis !== "last"
            ? ": add --sample-axis last if samples lie along the last axis"
            : ""),
      );
    }
    counts.push(shape[order[0]]);
  }
  if (counts[0] !== counts[1])
    throw new FormatError(`${file.path} has ${counts[0]} test inputs but ${counts[1]} responses`);
  return counts[0];
}
