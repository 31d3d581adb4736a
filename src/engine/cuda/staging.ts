import type { Driver } from "./driver.js";
import { type Ffi, received64 } from "./ffi.js";
import type { Pointer } from "./gemm.js";

/** Bytes of the staging area, and the largest upload that goes through it. */
const AREA = 16 * 2 ** 20;
const LARGEST = 4 * 2 ** 20;
/** Copies begin at multiples of this. */
const ALIGNMENT = 256;

/**
 * Page-locked memory through which small uploads pass. From ordinary memory the driver may wait for the stream before
 * it copies; from here a copy is only issued, and the caller's array is free at once.
 */
export interface Staging {
  upload(to: Pointer, values: ArrayBufferView): void;
  close(): void;
}

export function openStaging(ffi: Ffi, driver: Driver, stream: bigint): Staging {
  const address = received64((into) => driver.cuMemAllocHost_v2(into, AREA));
  const area = new Uint8Array(ffi.view(address, AREA));
  let used = 0;
  return {
    upload(to, values) {
      const { buffer, byteOffset, byteLength } = values;
      if (byteLength > LARGEST) {
        driver.cuMemcpyHtoDAsync_v2(to, values, byteLength, stream);
        driver.cuStreamSynchronize(stream); // where a GPU reads ordinary memory itself, the copy is not done yet
        return;
      }
      if (used + byteLength > AREA) {
        driver.cuStreamSynchronize(stream); // what was staged before has left
        used = 0;
      }
      area.set(new Uint8Array(buffer, byteOffset, byteLength), used);
      driver.cuMemcpyHtoDAsync_v2(to, area.subarray(used, used + byteLength), byteLength, stream);
      used = Math.ceil((used + byteLength) / ALIGNMENT) * ALIGNMENT;
    },
    close: () => driver.cuMemFreeHost(address),
  };
}
