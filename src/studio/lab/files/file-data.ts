import type { Dataset, Split } from "../../../datasets/dataset.js";
import { type CompleteFileData, wholeReading } from "../../../datasets/files/data-in-words.js";
import { describeWholeFile, type FileChoice, NO_HASHES } from "../../../datasets/files/file-data.js";
import { type OpenedData, openedData } from "../../../datasets/files/opened-data.js";
import { openFileData } from "../../../datasets/files/read-file-data.js";
import { openArrayFiles } from "../../../datasets/files/several-files.js";
import { usualData } from "../../../datasets/usual-data.js";
import { UserError } from "../../../errors.js";
import type { FileStore } from "../../../files/store/file-store.js";
import { choiceOfReading, type FileReading, readingFrom } from "../../file-reading.js";
import type { LabData } from "../lab.js";
import { fileOrigin } from "./file-origin.js";

/** Data of files that a page was given, by the rules of the command line. Their numbers are read when they are asked for. */
export async function fileData(store: FileStore, text: string, reading: FileReading): Promise<LabData> {
  const { data, isAlone, notes } = await described(store, text, reading);
  const file = await openArrayFiles(store, text, {
    layouts: data.layouts ?? [],
    sampleAxis: data.sampleAxis,
  });
  const present = await file.list();
  const isPartial = String(file.attributes.coordinate_units ?? "").startsWith("parts of the domain");
  await file.close();
  const dataset = await openFileData(store, data);
  const arrays = await openedData(store, text, namesOf(data, reading, isAlone));
  const origin = fileOrigin(data, reading, { present, isAlone });
  const close = async () => {
    await Promise.all([dataset.close(), arrays.close()]);
  };
  try {
    const half = async (split: Split) => {
      const { inputs, responses } = await dataset.read(split);
      return isAlone ? { responses } : { inputs, responses };
    };
    return {
      origin: { kind: "file", name: text, ...origin },
      ...(origin.partition && { names: await partitionNames(store, text, readingFrom(origin.partition)) }),
      description: descriptionOf(dataset, { isPartial }),
      coordinates: dataset.coordinates,
      train: await half("train"),
      ...(data.test > 0 && { test: await half("test") }),
      responseAxes: dataset.description.responses.axes.map(({ kind }) => kind),
      ...(data.responses.order && { responseOrder: data.responses.order }),
      ...(data.inputs.order && { inputOrder: data.inputs.order }),
      ...(await groupsOf(dataset)),
      attributes: attributesOf(arrays, data),
      reading: [...(isAlone ? [arrays.reading] : [wholeReading(data)]), ...notes, ...adviceOf(arrays)],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Described {
  readonly data: CompleteFileData;
  /** There are responses, but no inputs: enough to split. */
  readonly isAlone: boolean;
  readonly notes: readonly string[];
}

/**
 * The data as `train` reads them. Where a person names responses alone, or a file has one array without a name, they are
 * those that `partition` reads.
 */
async function described(store: FileStore, text: string, reading: FileReading): Promise<Described> {
  const { choice, isWhole } = choiceOfReading(reading);
  const context = { known: usualData, hashing: NO_HASHES };
  try {
    const data = await describeWholeFile(store, text, choice, { ...context, isWhole });
    return { data, isAlone: false, notes: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const responses = choice.inputs === undefined ? await responsesAlone(store, text, choice) : undefined;
    if (responses === undefined) throw error;
    // They describe themselves: as if they were inputs, too.
    const doubled = { ...choice, inputs: responses === "" ? "[...]" : responses };
    const isAll = isWhole || choice.test === undefined;
    const data = await describeWholeFile(store, text, doubled, { ...context, isWhole: isAll });
    return {
      data,
      isAlone: true,
      notes: ["There are no inputs: enough to split these data, not to train on them."],
    };
  }
}

/** Responses that `partition` would read without inputs, where they were chosen; undefined if there are others. */
async function responsesAlone(
  store: FileStore,
  text: string,
  choice: FileChoice,
): Promise<string | undefined> {
  const { channels, ...rest } = choice;
  const opened = await openedData(store, text, { ...rest, ...(channels !== "none" && { channels }) }).catch(
    () => undefined,
  );
  await opened?.close();
  if (!opened || opened.inputs) return undefined;
  const isNameless = opened.responsesName === undefined || opened.responsesName.startsWith("[");
  if (choice.responses === undefined && !isNameless) return undefined;
  return opened.responsesName ?? "";
}

/** What is read, in the words of `partition`. */
function namesOf(
  { responses, inputs }: CompleteFileData,
  reading: FileReading,
  isAlone: boolean,
): Parameters<typeof openedData>[2] {
  const { window: _, channels, ...choice } = choiceOfReading(reading).choice;
  return {
    ...choice,
    ...(responses.array !== undefined && { responses: responses.array }),
    inputs: isAlone ? undefined : `${inputs.file ?? ""}${inputs.array ?? ""}` || undefined,
    ...(channels !== "none" && { channels }),
  };
}

/** What a partition of the training samples notes of its data. */
async function partitionNames(
  store: FileStore,
  text: string,
  reading: FileReading,
): Promise<NonNullable<LabData["names"]>> {
  const { responsesName, inputsName, axes, choice, close } = await openedData(
    store,
    text,
    choiceOfReading(reading).choice,
  );
  await close();
  return { responsesName, inputsName, axes, choice };
}

/** Coordinates that are parts of a domain of another size in every sample have no unit. */
function descriptionOf(
  { description }: Dataset,
  { isPartial }: { readonly isPartial: boolean },
): Dataset["description"] {
  const { sha256: _, ...rest } = description;
  if (!isPartial) return rest;
  const plain = (array: Dataset["description"]["inputs"]) => ({
    ...array,
    axes: array.axes.map((axis) => (axis.kind === "channel" ? axis : { ...axis, unit: undefined })),
  });
  return { ...rest, inputs: plain(rest.inputs), responses: plain(rest.responses) };
}

async function groupsOf(dataset: Dataset): Promise<Pick<LabData, "groups">> {
  const groups = await dataset.groups?.("train");
  return groups ? { groups } : {};
}

/** Values of the training samples by name. */
function attributesOf({ attributes }: OpenedData, { testing }: CompleteFileData): LabData["attributes"] {
  if (!testing || !("range" in testing)) return attributes;
  const [start, end] = testing.range;
  const isKept = (_: unknown, i: number) => i < start || i >= end;
  return {
    ...attributes,
    read: async (name) => {
      const values = await attributes.read(name);
      return Array.isArray(values)
        ? (values as readonly string[]).filter(isKept)
        : Float64Array.from(values as ArrayLike<number>).filter(isKept);
    },
  };
}

const adviceOf = ({ advice }: OpenedData): readonly string[] => (advice === undefined ? [] : [advice]);
