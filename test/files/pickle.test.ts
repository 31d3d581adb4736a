import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { type PickleValue, readPickle } from "../../src/files/pickle.js";
import { type Picklable, writePickle } from "../../src/files/pickle-writer.js";

/** Pickles that Python wrote: scripts/golden/files.py. */
const golden = (name: string): Uint8Array =>
  readFileSync(new URL(`../golden/files/${name}`, import.meta.url));
const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe("pickles", () => {
  it.each([0, 1, 2, 3, 4, 5])("of protocol %i are read", (protocol) => {
    const map = readPickle(golden(`protocol-${protocol}.pkl`)) as Map<PickleValue, PickleValue>;
    expect(map.get(0)).toEqual({ shape: [3], dtype: "int64", values: BigInt64Array.of(3n, 1n, 2n) });
    expect(map.get(1)).toEqual([4, 5]);
    expect(map.get("name")).toBe("naïve");
    expect(map.get("none")).toBeNull();
    expect(map.get("flags")).toEqual([true, false]);
    expect(map.get("float")).toBe(0.25);
    expect(map.get("big")).toBe(2n ** 80n);
    expect(map.get("negative")).toEqual([-1, -300, -70000, 2 ** 40, -(2 ** 40)]);
    expect([...(map.get("bytes") as Uint8Array)]).toEqual([0, 255]);
    expect(map.get("scalar")).toBe(7);
    expect(map.get("single")).toBe(0.5);
    expect(map.get("ordered")).toEqual(new Map([["b", 1], ["a", 2]])); // biome-ignore format: one pair a cell
    expect(map.get("again")).toBe(map.get("ordered"));
    expect(map.get("default")).toEqual(new Map([[1, [2]]]));
    expect(map.get("set")).toEqual([1]);
    expect(map.get("nested")).toEqual([[], new Map(), []]);
    expect(map.get("matrix")).toEqual({
      shape: [2, 3],
      dtype: "int16",
      values: Int16Array.of(0, 1, 2, 3, 4, 5),
    });
    expect(
      (map.get("objects") as unknown as { values: BigInt64Array }[]).map(({ values }) => [...values]),
    ).toEqual([[1n], [2n, 3n]]);
    expect(String((map.get("class") as { className: string }).className)).toMatch(/complex$/);
  });

  it("of NumPy 1, whose modules have other names, are read", () => {
    const map = readPickle(golden("numpy-1.pkl")) as Map<PickleValue, PickleValue>;
    expect(map.get(0)).toEqual({ shape: [3], dtype: "int64", values: BigInt64Array.of(3n, 1n, 2n) });
  });

  it("are never executed: a call to the system comes out as a name", () => {
    const evil = ascii("cos\nsystem\n(S'touch /tmp/pickle-was-executed'\ntR.");
    expect(readPickle(evil)).toEqual({ className: "os.system" });
  });

  it("are refused when truncated, wherever the cut falls", () => {
    const bytes = golden("protocol-4.pkl");
    for (let length = 0; length < bytes.length; length++) {
      expect(() => readPickle(bytes.subarray(0, length), "cut.pkl")).toThrow(FormatError);
    }
  });

  it("of other files are refused with the place that made no sense", () => {
    expect(() => readPickle(ascii("hello"), "x.pkl")).toThrow("x.pkl is not a readable pickle");
    expect(() => readPickle(ascii("\x89HDF"), "x.pkl")).toThrow(
      'x.pkl is not a pickle: unknown opcode "H" at byte 1',
    );
    expect(() => readPickle(ascii("\x80\x09."), "x.pkl")).toThrow("x.pkl: unknown pickle protocol 9");
    expect(() => readPickle(golden("fields.h5"), "x.h5")).toThrow(FormatError);
  });

  it("end in a FormatError or a value for any bytes at all", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          readPickle(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("are read back as they were written", () => {
    const { value } = fc.letrec<{ value: Picklable }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.string({ unit: "grapheme" }),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.array(fc.tuple(fc.integer(), tie("value")), { maxLength: 4 }).map((pairs) => new Map(pairs)),
      ),
    }));
    fc.assert(
      fc.property(value, (given) => {
        expect(readPickle(writePickle(given))).toEqual(given);
      }),
    );
    fc.assert(
      fc.property(fc.int32Array(), (given) => {
        const values = BigInt64Array.from(given, BigInt);
        expect(readPickle(writePickle({ tuple: [given] }))).toEqual([
          { shape: [given.length], dtype: "int64", values },
        ]);
      }),
    );
  });

  it("cannot be written for numbers that are not whole", () => {
    expect(() => writePickle(0.5)).toThrow(RangeError);
    expect(() => writePickle(2 ** 31)).toThrow(RangeError);
  });
});
