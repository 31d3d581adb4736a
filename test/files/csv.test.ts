import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCsv, numberOf, parseTable } from "../../src/files/csv.js";

describe("text tables", () => {
  it.each([
    ["commas", "a,b\n1,2\n"],
    ["tabs", "a\tb\n1\t2"],
    ["semicolons", "a;b\r\n1;2\r\n"],
    ["blanks", "  a   b\n  1   2 \n"],
    ["a byte-order mark, comments and empty lines", "\ufeff# made by hand\n\na,b\n\n1,2\n"],
  ])("parted by %s are read", (_, text) => {
    expect(parseTable(text, "t")).toEqual({ header: ["a", "b"], rows: [["1", "2"]] });
  });

  it("have no header when the first line is all numbers", () => {
    expect(parseTable("1,-2.5e3\nnan,inf", "t")).toEqual({ rows: [["1", "-2.5e3"], ["nan", "inf"]] }); // biome-ignore format: a table
  });

  it("are refused when empty, ragged or binary", () => {
    expect(() => parseTable(" \n", "t.csv")).toThrow("t.csv is empty");
    expect(() => parseTable("a,b\n\n1,2\n3\n", "t.csv")).toThrow(
      "t.csv, line 4: 1 cells, but the first line has 2",
    );
    expect(() => parseTable("\x00\x01\x02", "t.csv")).toThrow("t.csv is not a text table");
  });

  it("hold numbers, or an error says where not", () => {
    expect([numberOf("-1.5e3", "t", 0), numberOf("nan", "t", 0), numberOf("-inf", "t", 0)]).toEqual([
      -1500,
      NaN,
      -Infinity,
    ]);
    expect(() => numberOf("abc", "t.csv", 4)).toThrow('t.csv, row 5: "abc" is not a number');
    expect(() => numberOf("", "t.csv", 0)).toThrow("is not a number");
  });

  it("are read back as they were written", () => {
    const cell = fc.stringMatching(/^[a-z",;]{1,8}$/);
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1 }), (rows) => {
        expect(parseTable(formatCsv([["first", "second"], ...rows]), "t").rows).toEqual(rows);
      }),
    );
  });
});
