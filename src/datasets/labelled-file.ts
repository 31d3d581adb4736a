import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { FormatError, OptionError } from "../errors.js";
import { type Hdf5File, openHdf5 } from "../files/hdf5.js";
import { type ArrayAxes, AXIS_ENDS, type AxisEnd, sampleInWords, withSamplesFirst } from "./array-axes.js";
import { channelAxis, withChannelsFirst } from "./channel-axis.js";
import { type Fields, fieldsInMemory, type LabelledFields, type LabelledFile } from "./fields.js";
import type { Split } from "./generate.js";
import { openData } from "./open.js";
import { TASK_NAMES, type TaskName, taskOf } from "./tasks.js";

const HALVES = ["train", "test"] as const;

/** Says what a file holds without reading its samples. Arrays whose axes could mean two things are refused. */
export async function describeLabelledFile(path: string, axes: ArrayAxes = {}): Promise<LabelledFile> {
  const file = await openHdf5(path);
  try {
    const attributes = file.attributes("/");
    const { task, origin = "unknown", seed } = attributes;
    if (!TASK_NAMES.includes(task as TaskName))
      throw new FormatError(
        `${path} is not data of a task: its attribute "task" is ${JSON.stringify(task)}, not one of ${TASK_NAMES.join(", ")}`,
      );
    const stated = Object.keys(taskOf(task as TaskName).parameters).flatMap((name) => {
      const value = attributes[name];
      return typeof value === "number" || typeof value === "string" ? [[name, value] as const] : [];
    });
    const [train, test] = HALVES.map((half) => halfOf(file, half, axes.sampleAxis));
    checkSameShapes(path, train, test);
    const channels = channelsOf(file, task as TaskName, train, axes.channels);
    return {
      file: path,
      sha256: await fileSha256(path),
      task: task as TaskName,
      origin: String(origin),
      seed: typeof seed === "number" ? seed : 0,
      parameters: Object.fromEntries(stated),
      train: train.inputs.shape[0],
      test: test.inputs.shape[0],
      ...(axes.sampleAxis && { sampleAxis: axes.sampleAxis }),
      ...(channels === "last" && { channels }), // channels first is the layout of the models
    };
  } finally {
    file.close();
  }
}

type Half = ReturnType<typeof halfOf>;

/** Arrays of one half, samples first; nothing is read. */
function halfOf(file: Hdf5File, half: Split, sampleAxis?: AxisEnd) {
  const array = (name: string) => {
    const stored = file.dataset(`/${half}/${name}`);
    const attributes = sampleAxis === "last" ? {} : stored.attributes; // which name axes in their stored order
    return { ...withSamplesFirst(stored, `the ${half} ${name} of ${file.name}`, sampleAxis), attributes };
  };
  const [inputs, responses] = [array("inputs"), array("responses")];
  if (inputs.shape[0] !== responses.shape[0])
    throw new FormatError(
      `${file.name} has ${inputs.shape[0]} ${half} inputs but ${responses.shape[0]} responses`,
    );
  return { inputs, responses };
}

/** Refuses halves whose samples differ in shape: the samples may lie along another axis. */
function checkSameShapes(path: string, train: Half, test: Half): void {
  for (const name of ["inputs", "responses"] as const) {
    const [a, b] = [train, test].map((half) => half[name].shape);
    if (a.slice(1).join() === b.slice(1).join()) continue;
    throw new FormatError(
      `${path} has ${name} of ${a.slice(1).join(" x ")} for training but of ${b.slice(1).join(" x ")} for testing` +
        (a.slice(0, -1).join() === b.slice(0, -1).join()
          ? ": add --sample-axis last if samples are along the last axis"
          : ""),
    );
  }
}

/** Where the channels are that the task's model takes. */
function channelsOf(file: Hdf5File, task: TaskName, half: Half, given?: AxisEnd): AxisEnd | undefined {
  const { model } = taskOf(task);
  const stated = file.attributes("/").channels;
  if (stated !== undefined && !AXIS_ENDS.includes(stated as AxisEnd))
    throw new FormatError(
      `${file.name}: its attribute "channels" is ${JSON.stringify(stated)}, not first or last`,
    );
  const asked = given ?? (stated as AxisEnd | undefined);
  const hasFields = Object.values(half).some(({ shape }) => shape.length === 4);
  if (given !== undefined && (model === "deeponet" || !hasFields))
    throw new OptionError(`${file.name} has no array with an axis of channels: leave out --channels`);
  if (model === "deeponet") return undefined;
  return channelAxis(file.name, half, { asked, sameGrid: model === "fno2d" });
}

/** How the arrays of a file are trained on, in one line. */
export async function labelledReading(data: LabelledFile): Promise<string> {
  const file = await openHdf5(data.file);
  try {
    const half = halfOf(file, "train", data.sampleAxis);
    const words = ({ shape }: { readonly shape: readonly number[] }) =>
      taskOf(data.task as TaskName).model === "deeponet"
        ? sampleInWords(shape.slice(1))
        : shape.length === 3
          ? sampleInWords([1, ...shape.slice(1)], "first")
          : sampleInWords(shape.slice(1), data.channels ?? "first");
    const along = data.sampleAxis === "last" ? ", along the last axis" : "";
    return (
      `${basename(data.file)}: inputs: ${words(half.inputs)}; responses: ${words(half.responses)} ` +
      `(${data.train} training and ${data.test} test samples${along})`
    );
  } finally {
    file.close();
  }
}

/** One half of a file, in memory, with channels before the grid. */
export async function readHalf(
  path: string,
  half: Split,
  { sampleAxis, channels }: ArrayAxes = {},
): Promise<LabelledFields> {
  const names = { responses: `/${half}/responses`, inputs: `/${half}/inputs` };
  const data = await openData(path, { ...names, sampleAxis });
  try {
    const inMemory = async (fields: Fields) =>
      channels === "last" && fields.shape.length === 3
        ? withChannelsFirst(fields)
        : fieldsInMemory(await fields.read(0, fields.samples), fields.samples, fields.shape);
    return { inputs: await inMemory(data.inputs!), responses: await inMemory(data.responses) };
  } finally {
    await data.close();
  }
}

export async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest("hex");
}
