import type { Driver } from "./driver.js";
import type { DeviceEvent } from "./events.js";
import { type Ffi, received64 } from "./ffi.js";
import type { Pointer } from "./gemm.js";

/** Bytes of a section of the staging area, and the largest upload that goes through it. */
const SECTION = 4 * 2 ** 20;
const SECTIONS = 4;
/** Copies begin at multiples of this. */
const ALIGNMENT = 256;

/**
 * Page-locked memory through which small uploads pass. From ordinary memory the driver may wait for the stream before
 * it copies; from here a copy is only issued, and the caller's array is free at once. Sections are filled in turn; when
 * one's turn comes again, what was in it left long ago as a rule.
 */
export interface Staging {
  upload(to: Pointer, values: ArrayBufferView): void;
  close(): void;
}

export function openStaging(ffi: Ffi, driver: Driver, stream: bigint, event: () => DeviceEvent): Staging {
  const address = received64((into) => driver.cuMemAllocHost_v2(into, SECTIONS * SECTION));
  const area = new Uint8Array(ffi.view(address, SECTIONS * SECTION));
  const left = Array.from({ length: SECTIONS }, event);
  let section = 0;
  let used = 0;
  return {
    upload(to, values) {
      const { buffer, byteOffset, byteLength } = values;
      if (byteLength > SECTION) {
        driver.cuMemcpyHtoDAsync_v2(to, values, byteLength, stream);
        driver.cuStreamSynchronize(stream); // where a GPU reads ordinary memory itself, the copy is not done yet
        return;
      }
      if (used + byteLength > SECTION) {
        left[section].record();
        section = (section + 1) % SECTIONS;
        left[section].wait();
        used = 0;
      }
      const at = section * SECTION + used;
      area.set(new Uint8Array(buffer, byteOffset, byteLength), at);
      driver.cuMemcpyHtoDAsync_v2(to, area.subarray(at, at + byteLength), byteLength, stream);
      used = Math.ceil((used + byteLength) / ALIGNMENT) * ALIGNMENT;
    },
    close() {
      for (const one of left) one.close();
      driver.cuMemFreeHost(address);
    },
  };
}
