import { inStoredOrder } from "../../datasets/axis-order.js";
import { DataError } from "../../errors.js";
import {
  arraysBeside,
  binsSha256,
  partitionArrays,
  partitionJson,
  sha256,
} from "../../exchange/partition-file.js";
import { encode } from "../../files/ndarray.js";
import { writeNpz } from "../../files/npz.js";
import type { MeasuredPartition } from "../../pipeline/measured-partition.js";
import { VERSION } from "../../version.js";
import { dataWords, splitFileName } from "../equivalent/words.js";
import type { FileToSave, LabData, PartitionFileKind } from "./lab.js";

/** What the file of a generated dataset calls its arrays. */
const GENERATED: NonNullable<LabData["names"]> = {
  responsesName: "/train/responses",
  inputsName: "/train/inputs",
  axes: {},
  choice: {},
};

/** A file of a partition, byte for byte as `partition --out` writes it. The two name each other by the page's names. */
export async function partitionFile(
  { origin, names, train, responseOrder }: LabData,
  measured: MeasuredPartition,
  kind: PartitionFileKind,
): Promise<FileToSave> {
  const json = splitFileName(origin);
  const arrays = arraysBeside(json);
  if (kind === "npz") return { name: arrays, bytes: owned(writeNpz(partitionArrays(measured))) };
  // Browsers hash only where nobody can have changed the page on its way.
  if (!globalThis.crypto?.subtle)
    throw new DataError(
      "a page without HTTPS cannot hash the data: run the studio, or serve the page over HTTPS",
    );
  const { responsesName, inputsName, axes, choice } = names ?? GENERATED;
  const responses = inStoredOrder(train.responses, responseOrder);
  const text = partitionJson(measured, {
    version: VERSION,
    data: dataWords(origin).file.replace(/^.*\//, ""),
    responses: responsesName,
    inputs: inputsName,
    axes,
    choice,
    dataSha256: await sha256(owned(encode(await responses.read(0, responses.samples)))),
    binsSha256: await binsSha256(measured.bins),
    binsOrigin: { seed: measured.partition.seed },
    arrays,
  });
  return { name: json, bytes: new TextEncoder().encode(text) };
}

/** Bytes in memory of their own: those that threads share cannot be hashed. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
