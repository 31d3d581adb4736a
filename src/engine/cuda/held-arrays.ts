import type { InputValues } from "../backend.js";
import type { Device, Pointer } from "./device/device.js";

/**
 * Arrays that lie on a device for as long as some program holds them: training data of hundreds of megabytes are there
 * once, however many programs take them. An array is known by its identity.
 */
export interface HeldArrays {
  take(values: InputValues): Pointer;
  release(values: InputValues): void;
}

export function heldArrays(device: Device): HeldArrays {
  const held = new Map<InputValues, { readonly pointer: Pointer; readonly holders: number }>();
  return {
    take(values) {
      const known = held.get(values);
      const pointer = known?.pointer ?? uploaded(device, values);
      held.set(values, { pointer, holders: (known?.holders ?? 0) + 1 });
      return pointer;
    },
    release(values) {
      const known = held.get(values);
      if (!known) return;
      if (known.holders > 1) held.set(values, { ...known, holders: known.holders - 1 });
      else {
        held.delete(values);
        device.free(known.pointer);
      }
    },
  };
}

/** A copy on the device. */
export function uploaded(device: Device, values: InputValues): Pointer {
  const numbers = fourBytes(values);
  const pointer = device.allocate(numbers.byteLength);
  device.upload(pointer, numbers);
  return pointer;
}

/** Numbers as kernels take them: float32 and int32. */
export function fourBytes(values: InputValues): Float32Array | Int32Array {
  if (values instanceof Float32Array || values instanceof Int32Array) return values;
  return values instanceof BigInt64Array ? Int32Array.from(values, Number) : Float32Array.from(values);
}
