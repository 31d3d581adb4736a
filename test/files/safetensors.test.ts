import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { readSafetensors, writeSafetensors } from "../../src/files/safetensors.js";

const contents = {
  tensors: {
    weight: { shape: [2, 3], values: Float32Array.of(1, -2, 3.5, 0, 1e-30, 7) },
    bias: { shape: [], values: Float64Array.of(Math.PI) },
    order: { shape: [3], values: Int32Array.of(3, -1, 2) },
  },
  metadata: { round: "1000" },
};

describe("a safetensors file", () => {
  it("gives back what was written", async () => {
    expect(await readSafetensors(bytesInMemory(writeSafetensors(contents)))).toEqual(contents);
  });

  it("begins with the length of a JSON header, after which the tensors lie aligned", () => {
    const bytes = writeSafetensors(contents);
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    expect(length % 8).toBe(0);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
    expect(header.weight).toEqual({ dtype: "F32", shape: [2, 3], data_offsets: [0, 24] });
    expect(new Float32Array(bytes.buffer, 8 + length, 2)).toEqual(Float32Array.of(1, -2));
  });

  it("is refused in one line when it is truncated or something else", async () => {
    const bytes = writeSafetensors(contents);
    const read = (part: Uint8Array) => readSafetensors(bytesInMemory(part, "p.safetensors"));
    await expect(read(bytes.subarray(0, bytes.length - 1))).rejects.toThrow(/p.safetensors is truncated/);
    await expect(read(new TextEncoder().encode("not a tensor at all"))).rejects.toThrow(FormatError);
    const other = bytes.slice();
    other.set(new TextEncoder().encode("F16"), new TextDecoder().decode(bytes).indexOf("F32"));
    await expect(read(other)).rejects.toThrow(/"weight" is of type F16, which is not read here/);
  });
});
