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

/** Lists that hold the list before twice: as text it would double with every one. */
const nest = (depth: number) => "](h\x00h\x00eq\x00".repeat(depth);

/** An array of float64 whose shape is what the given opcodes push. */
const arrayOfShape = (shape: string) =>
  `cnumpy.core.multiarray\n_reconstruct\n)R(K\x01${shape}cnumpy\ndtype\nU\x02f8\x85R\x89U\x00tb`;

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

  /** A pickle that says the same thing so many times and ends with the last. */
  const repeated = (start: string, step: string, times: number) =>
    ascii(`\x80\x02${start}${step.repeat(times)}.`);

  it.each([
    ["ranges", "", "c__builtin__\nxrange\nK\x00J\xff\xff\xff\x00K\x01\x87R0", 2, /holds too much/],
    ["a long integer", "", `\x8b\x00\x20\x00\x00${"\x01".repeat(0x2000)}`, 1, /an integer of 8192 bytes/],
    ["many digits", "", `I${"1".repeat(5000)}\n`, 1, /an integer of 5000 digits/],
    [
      "copies of a dict",
      `ccollections\ndefaultdict\nq\x00}(${Array.from({ length: 5000 }, (_, i) => `M${String.fromCharCode(i & 255, i >> 8)}N`).join("")}uq\x01`,
      "h\x00Nh\x01\x86R0",
      3000,
      /holds too much/,
    ],
    ["a name that is a nest of lists", `]q\x00${nest(40)}`, "c_codecs\nencode\nh\x00\x85R", 1, /not text/],
    ["a shape that is a nest of lists", `]q\x00${nest(40)}`, arrayOfShape("h\x00"), 1, /without a shape/],
  ])("are refused before %s take memory or time", (_, start, step, times, message) => {
    const before = performance.now();
    expect(() => readPickle(repeated(start, step, times), "x.pkl")).toThrow(message);
    expect(() => readPickle(repeated(start, step, times), "x.pkl")).toThrow(FormatError);
    expect(performance.now() - before).toBeLessThan(2000);
  });

  it("remember what objects became, however many there are", () => {
    const object = `cnumpy.core.multiarray\n_reconstruct\n)Rq\x05(K\x01K\x01\x85cnumpy\ndtype\nU\x02O8\x85R\x89]K\x07atb0h\x05.`;
    expect(readPickle(ascii(`\x80\x02${object}`))).toEqual([7]);
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
