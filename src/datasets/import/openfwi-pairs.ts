import { basename } from "node:path";
import { FormatError } from "../../errors.js";
import { type DiskFile, openFile } from "../../files/disk.js";
import { type NpyArray, openNpy } from "../../files/npy.js";
import { expectShape } from "./expect-shape.js";
import { findFiles } from "./find-files.js";

/** `data7.npy` and `model7.npy`, whose rows belong together. */
export interface OpenFwiPair {
  readonly number: number;
  readonly data: string;
  readonly model: string;
  readonly rows: number;
}

export interface OpenFwiPairs {
  /** In the order of their numbers. */
  readonly pairs: readonly OpenFwiPair[];
  /** Sources, times and receivers of a row of data. */
  readonly gather: readonly [number, number, number];
  /** Depths and offsets of a row of models. */
  readonly map: readonly [number, number];
}

/** Finds `data{i}.npy` and `model{i}.npy` among files and in folders, matched by number, and checks their shapes. */
export async function findPairs(paths: readonly string[]): Promise<OpenFwiPairs> {
  const found = { data: new Map<number, string>(), model: new Map<number, string>() };
  for (const path of await findFiles(paths)) {
    const [, kind, digits] = /^(data|model)_?(\d+)\.npy$/.exec(basename(path)) ?? [];
    if (kind !== "data" && kind !== "model") continue;
    const known = found[kind].get(Number(digits));
    if (known !== undefined)
      throw new FormatError(`${kind}${digits}.npy is there twice: ${known} and ${path}`);
    found[kind].set(Number(digits), path);
  }
  const numbers = [...new Set([...found.data.keys(), ...found.model.keys()])].sort((a, b) => a - b);
  if (numbers.length === 0)
    throw new FormatError(`${paths.join(", ")}: expected data1.npy, model1.npy, ..., found none`);

  const pairs: OpenFwiPair[] = [];
  let gather: readonly [number, number, number] | undefined;
  let map: readonly [number, number] | undefined;
  for (const number of numbers) {
    const data = found.data.get(number);
    const model = found.model.get(number);
    if (data === undefined) throw new FormatError(`${model} has no pair: expected a data${number}.npy`);
    if (model === undefined) throw new FormatError(`${data} has no pair: expected a model${number}.npy`);
    const dataShape = await shapeOf(data);
    const modelShape = await shapeOf(model);
    expectShape(data, dataShape, ["samples", ...(gather ?? ["source", "time", "receiver"])]);
    expectShape(model, modelShape, [dataShape[0], 1, ...(map ?? ["depth", "offset"])]);
    gather ??= [dataShape[1], dataShape[2], dataShape[3]];
    map ??= [modelShape[2], modelShape[3]];
    pairs.push({ number, data, model, rows: dataShape[0] });
  }
  return { pairs, gather: gather!, map: map! };
}

/** Keeps one NPY file open at a time: rows are asked for in the order of the files. */
export function oneAtATime(): { open(path: string): Promise<NpyArray>; close(): Promise<void> } {
  let current:
    | { readonly path: string; readonly file: DiskFile; readonly array: Promise<NpyArray> }
    | undefined;
  const close = async () => {
    await current?.file.close();
    current = undefined;
  };
  return {
    close,
    open: async (path) => {
      if (current?.path === path) return current.array;
      await close();
      const file = await openFile(path);
      current = { path, file, array: openNpy(file) };
      return current.array;
    },
  };
}

async function shapeOf(path: string): Promise<readonly number[]> {
  const file = await openFile(path);
  try {
    return (await openNpy(file)).shape;
  } finally {
    await file.close();
  }
}
