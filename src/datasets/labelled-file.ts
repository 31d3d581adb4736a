import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { FormatError } from "../errors.js";
import { openHdf5 } from "../files/hdf5.js";
import { type Fields, fieldsInMemory, type LabelledFields, type LabelledFile } from "./fields.js";
import type { Split } from "./generate.js";
import { openData } from "./open.js";
import { TASK_NAMES, type TaskName, taskOf } from "./tasks.js";

const HALVES = ["train", "test"] as const;

/** Says what a file holds without reading its samples. */
export async function describeLabelledFile(path: string): Promise<LabelledFile> {
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
    const [train, test] = HALVES.map((half) => {
      const [inputs, responses] = ["inputs", "responses"].map(
        (name) => file.dataset(`/${half}/${name}`).shape,
      );
      if (inputs[0] !== responses[0])
        throw new FormatError(`${path} has ${inputs[0]} ${half} inputs but ${responses[0]} responses`);
      return inputs[0];
    });
    return {
      file: path,
      sha256: await fileSha256(path),
      task: task as TaskName,
      origin: String(origin),
      seed: typeof seed === "number" ? seed : 0,
      parameters: Object.fromEntries(stated),
      train,
      test,
    };
  } finally {
    file.close();
  }
}

/** One half of a file, in memory. */
export async function readHalf(path: string, half: Split): Promise<LabelledFields> {
  const data = await openData(path, { responses: `/${half}/responses`, inputs: `/${half}/inputs` });
  try {
    const inMemory = async (fields: Fields) =>
      fieldsInMemory(await fields.read(0, fields.samples), fields.samples, fields.shape);
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
