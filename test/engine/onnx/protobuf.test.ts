import { describe, expect, it } from "vitest";
import { float, message, serialise, text, whole } from "../../../src/engine/onnx/protobuf.js";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

// Examples of https://protobuf.dev/programming-guides/encoding
describe("a protocol buffer", () => {
  it("writes whole numbers in groups of seven bits", () => {
    expect(hex(serialise(whole(1, 150)))).toBe("089601");
    expect(hex(serialise(whole(20, 7)))).toBe("a00107");
    expect(hex(serialise(whole(1, 2 ** 40)))).toBe("08808080808020");
  });

  it("writes negative numbers as 64-bit two's complement", () => {
    expect(hex(serialise(whole(1, -2)))).toBe("08feffffffffffffffff01");
  });

  it("writes text and messages with their length", () => {
    expect(hex(serialise(text(2, "testing")))).toBe("120774657374696e67");
    expect(hex(serialise(message(3, whole(1, 150))))).toBe("1a03089601");
    expect(hex(serialise(message(3, whole(1, 150), text(2, "é"))))).toBe("1a070896011202c3a9");
  });

  it("writes float32 in little-endian order", () => {
    expect(hex(serialise(float(2, 1.5)))).toBe("150000c03f");
  });
});
