import type { Split } from "../../../datasets/dataset.js";
import type { AxisEnd } from "../../../datasets/files/array-axes.js";
import { isSameName, testName } from "../../../datasets/files/array-names.js";
import type { CompleteFileData } from "../../../datasets/files/data-in-words.js";
import { TRAJECTORY } from "../../../datasets/files/sample-groups.js";
import type { NamedShape } from "../../../files/name-list.js";
import { type FileReading, PARTITION_CHOICES, readingFlags, SHOW_CHOICES } from "../../file-reading.js";
import type { FileOrigin } from "../lab.js";
import { keptSamples } from "./training-slice.js";

interface OriginContext {
  readonly present: readonly NamedShape[];
  /** There are no inputs. */
  readonly isAlone: boolean;
}

/** How commands read the same samples. */
export function fileOrigin(
  data: CompleteFileData,
  reading: FileReading,
  context: OriginContext,
): Omit<FileOrigin, "kind" | "name"> {
  const partition = partitionFlags(data, reading, context);
  return {
    reading,
    ...(partition && { partition }),
    show: {
      train: { file: data.file, flags: readingFlags(reading, SHOW_CHOICES) },
      test: testShown(data, reading),
    },
    ...(data.testing && "range" in data.testing && { testRange: data.testing.range }),
  };
}

/** Flags by which `partition` takes the samples for training alone; undefined where it cannot. */
function partitionFlags(
  { responses, inputs, testing, train, test, windows, group, sampleAxis }: CompleteFileData,
  reading: FileReading,
  { present, isAlone }: OriginContext,
): readonly string[] | undefined {
  if (!testing || !("range" in testing)) return readingFlags(reading, PARTITION_CHOICES);
  const ofTrajectories = windows !== undefined && group === TRAJECTORY;
  if (group !== undefined && !ofTrajectories) return undefined; // its numbers are one for each sample of the whole array
  const each = windows ?? 1;
  const [start, end] = testing.range;
  const samples = train + test;
  const range = end === samples ? [0, start] : start === 0 ? [end, samples] : undefined;
  if (!range?.every((at) => at % each === 0)) return undefined;
  const kept = {
    range: [range[0] / each, range[1] / each] as const,
    sampleAxis: (sampleAxis ?? "first") as AxisEnd,
    shapeOf: (name: string) => present.find((one) => isSameName(one.name, name))?.shape,
  };
  const u = keptSamples(responses.array ?? "", kept);
  const a = isAlone
    ? ""
    : keptSamples(inputs.array ?? "", { ...kept, ...shapeBeside(inputs, samples / each) });
  if (u === undefined || a === undefined) return undefined;
  const { window: _, ...rest } = reading;
  const sliced = { ...rest, responses: u, ...(!isAlone && { inputs: `${inputs.file ?? ""}${a}` }) };
  return readingFlags(sliced, PARTITION_CHOICES);
}

/** Inputs in a file of their own are one array there. */
function shapeBeside(
  { file, axes }: CompleteFileData["inputs"],
  samples: number,
): { shapeOf(): readonly number[] } | undefined {
  return file === undefined ? undefined : { shapeOf: () => [samples, ...axes.map(({ length }) => length)] };
}

/** How `show` reads the samples for testing: those of a range are rows of the same arrays. */
function testShown(data: CompleteFileData, reading: FileReading): FileOrigin["show"][Split] {
  const { testing } = data;
  const flags = readingFlags(reading, SHOW_CHOICES);
  if (testing && "range" in testing) return { file: data.file, flags };
  const isNamed = reading.responses !== undefined || reading.inputs !== undefined;
  if (!testing && !isNamed) return { file: data.file, flags: [...flags, "--split", "test"] };
  const named = (array: string | undefined) => testName(array ?? "") ?? array ?? "";
  const { inputs, responses } = testing ?? {
    inputs: named(data.inputs.array),
    responses: named(data.responses.array),
  };
  const { window: _, ...rest } = reading;
  return {
    file: (testing && "file" in testing && testing.file) || data.file,
    flags: readingFlags({ ...rest, inputs, responses }, SHOW_CHOICES),
  };
}
