import type { Dataset } from "h5wasm";
import type { Hdf5Bytes } from "../plain/hdf5-messages.js";
import { unusualNumbers } from "../plain/hdf5-numbers.js";

/** A file whose bytes can be read past the library. */
interface FilledFile {
  readonly size: number;
  fill(into: Uint8Array, offset: number): void;
}

/** Bytes of a file, for readers of its headers. */
export function bytesOf({ size, fill }: FilledFile): Hdf5Bytes {
  const read = (offset: number, length: number): DataView => {
    const bytes = new Uint8Array(length);
    fill(bytes, offset);
    return new DataView(bytes.buffer);
  };
  return { size, read };
}

/** The address of a dataset's header, of which a reference to it consists. */
export const headerOf = (dataset: Dataset): bigint =>
  new BigUint64Array(Uint8Array.from(dataset.create_reference().ref_data).buffer)[0];

/** Why the bits of a dataset are not the numbers that the library takes them for. */
export function unusualFormat(file: FilledFile, dataset: Dataset): string | undefined {
  if (dataset.metadata.virtual_sources !== undefined) return undefined;
  return unusualNumbers(bytesOf(file), headerOf(dataset));
}
