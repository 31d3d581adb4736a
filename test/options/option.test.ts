import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OptionError } from "../../src/errors.js";
import {
  checkValues,
  choice,
  defaultOf,
  expectedWords,
  flag,
  flagOf,
  propertyOf,
  realNumber,
  recordedValues,
  takes,
  wholeNumber,
  withDefaults,
} from "../../src/options/option.js";
import { optionTable } from "../../src/options/option-table.js";

const OPTIONS = {
  local_steps: wholeNumber({ from: 1, default: 5, help: "steps" }),
  width: wholeNumber({ from: 1, to: 10, defaultWords: "the data's", help: "width" }),
  momentum: realNumber({ from: 0, to: 1, below: true, default: 0.9, help: "momentum" }),
  repair: choice(["closest", "largest"], { default: "closest", help: "rule" }),
  tf32: flag({ default: false, later: true, help: "fast" }),
};

describe("a declared option", () => {
  it("says what it takes and takes that alone", () => {
    expect(Object.values(OPTIONS).map(expectedWords)).toEqual([
      "a whole number from 1 on",
      "a whole number from 1 to 10",
      "a number from 0 to below 1",
      "one of closest, largest",
      "true or false",
    ]);
    const { local_steps, width, momentum, repair, tf32 } = OPTIONS;
    expect([1, 0, 1.5, "1", 2 ** 53].map((value) => takes(local_steps, value))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect([10, 11].map((value) => takes(width, value))).toEqual([true, false]);
    expect([0, 0.5, 1, -0.1, Number.NaN].map((value) => takes(momentum, value))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(["closest", "other", 1].map((value) => takes(repair, value))).toEqual([true, false, false]);
    expect([true, false, "true"].map((value) => takes(tf32, value))).toEqual([true, true, false]);
  });

  it("has a name for records and studies, a flag, and a property", () => {
    expect(flagOf("local_steps")).toBe("--local-steps");
    expect(propertyOf("client_state_of_all")).toBe("clientStateOfAll");
  });

  it("refuses what is not declared, and names what is", () => {
    expect(() => checkValues(OPTIONS, { wings: 2 }, "the model")).toThrow(
      'the model has no option "wings"; it has local_steps, width, momentum, repair, tf32',
    );
    expect(() => checkValues(OPTIONS, { width: 11 }, "the model")).toThrow(
      "the model's width is a whole number from 1 to 10, not 11",
    );
    expect(() => checkValues(OPTIONS, { width: 11 }, "the model")).toThrow(OptionError);
    expect(() => checkValues(OPTIONS, { width: undefined, tf32: true }, "the model")).not.toThrow();
  });

  it("fills in defaults, and records a later one only where it differs", () => {
    const values = withDefaults(OPTIONS, { width: 3 });
    expect(values).toEqual({ local_steps: 5, width: 3, momentum: 0.9, repair: "closest", tf32: false });
    expect(recordedValues(OPTIONS, values)).not.toHaveProperty("tf32");
    expect(recordedValues(OPTIONS, { ...values, tf32: true })).toHaveProperty("tf32", true);
  });

  it("keeps whatever is given: values that it takes come back, with defaults around them", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.constantFrom("closest", "largest"), (width, repair) => {
        checkValues(OPTIONS, { width, repair }, "it");
        expect(withDefaults(OPTIONS, { width, repair })).toMatchObject({ width, repair, local_steps: 5 });
      }),
    );
  });

  it("says its default where there is one to be said", () => {
    expect(Object.values(OPTIONS).map(defaultOf)).toEqual(["5", "the data's", "0.9", "closest", undefined]);
  });

  it("is a row of the documentation", () => {
    expect(optionTable({ repair: OPTIONS.repair, tf32: OPTIONS.tf32 }, "partition.")).toBe(
      [
        "| Field | Flag of `train` | Values | Default | Meaning |",
        "| --- | --- | --- | --- | --- |",
        "| `partition.repair` | `--repair` | `closest` or `largest` | `closest` | rule |",
        "| `partition.tf32` | `--tf32` | true or false | false | fast |",
      ].join("\n"),
    );
  });
});
