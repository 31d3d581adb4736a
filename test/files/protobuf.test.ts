import { describe, expect, it } from "vitest";
import { bytesFields, fieldsOf, textField, wholeField } from "../../src/files/protobuf/read-protobuf.js";
import { double, float, message, serialise, text, whole } from "../../src/files/protobuf/write-protobuf.js";

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

  it("writes float32 and float64 in little-endian order", () => {
    expect(hex(serialise(float(2, 1.5)))).toBe("150000c03f");
    expect(hex(serialise(double(2, 1.5)))).toBe("11000000000000f83f");
  });

  it("is read field by field, as it was written", () => {
    const inner = message(3, whole(1, -2), text(2, "é"));
    const bytes = serialise(whole(1, 2 ** 40), inner, float(4, 1.5), double(5, -0.5), inner);
    expect([...fieldsOf(bytes)].map(({ field, type }) => [field, type])).toEqual([
      [1, "varint"],
      [3, "bytes"],
      [4, "fixed32"],
      [5, "fixed64"],
      [3, "bytes"],
    ]);
    expect(wholeField(bytes, 1)).toBe(2 ** 40);
    const [first, second] = bytesFields(bytes, 3);
    expect([wholeField(first, 1), textField(second, 2)]).toEqual([-2, "é"]);
    expect([wholeField(bytes, 9), textField(bytes, 9)]).toEqual([0, ""]);
  });

  it.each([
    ["within a number", "08ff", "ends within a number"],
    ["within a field", "120774", "ends within a field"],
    ["with a number without end", "08ffffffffffffffffffffff01", "more than 64 bits"],
    ["with a group, which no file of ours has", "0b", "wire type 3"],
  ])("that ends or goes on %s is refused", (_, bytes, words) => {
    expect(() => [...fieldsOf(Buffer.from(bytes, "hex"))]).toThrow(words);
  });
});
