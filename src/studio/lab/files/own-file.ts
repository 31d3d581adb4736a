import { FileError } from "../../../errors.js";
import type { DistantBytes } from "./byte-blocks.js";

/** Reads in the calling thread, which only a worker can do. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** The bytes of a file that a person gave to the page. They are read where they lie, and go nowhere else. */
export function ownFile(name: string, file: File): DistantBytes {
  const part = (offset: number, length: number) => file.slice(offset, offset + length);
  const whole = (buffer: ArrayBuffer, length: number): Uint8Array => {
    if (buffer.byteLength !== length) throw unreadable(name);
    return new Uint8Array(buffer);
  };
  return {
    name,
    size: file.size,
    read: async (offset, length) => {
      const buffer = await part(offset, length)
        .arrayBuffer()
        .catch(() => {
          throw unreadable(name);
        });
      return whole(buffer, length);
    },
    readNow: (offset, length) => {
      let buffer: ArrayBuffer;
      try {
        buffer = new FileReaderSync().readAsArrayBuffer(part(offset, length));
      } catch {
        throw unreadable(name);
      }
      return whole(buffer, length);
    },
  };
}

/** A browser lets go of a file that changes on the disk. */
const unreadable = (name: string): FileError =>
  new FileError(`${name} can no longer be read: it was changed, moved or removed. Open it again`);
