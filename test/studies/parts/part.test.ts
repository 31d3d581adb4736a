import { describe, expect, it } from "vitest";
import type { ArrayTask } from "../../../src/schedulers/scheduler.js";
import { readPart } from "../../../src/studies/parts/part.js";

const task = (more: Partial<ArrayTask>): ArrayTask => ({
  ...{ index: 3, variable: "SLURM_ARRAY_TASK_ID", first: 1, count: 8 },
  ...more,
});

describe("--part", () => {
  it("is the i-th of n, or what a job array says", () => {
    expect(readPart("3/8", undefined)).toEqual({ index: 3, of: 8 });
    expect(readPart("auto", task({}))).toEqual({ index: 3, of: 8 });
    expect(readPart("auto", task({ index: 0, first: 0 }))).toEqual({ index: 1, of: 8 });
    expect(readPart("auto/20", task({ count: undefined }))).toEqual({ index: 3, of: 20 });
    expect(readPart("auto/5", task({ index: 4, first: 0, count: undefined }))).toEqual({ index: 5, of: 5 });
  });

  it.each(["3", "3/", "/8", "a/b", "3-8", "1.5/3", "-1/3", "auto/", "automatic", "", "1/2/3"])(
    "is refused in one line where it is no part: %s",
    (text) => {
      expect(() => readPart(text, task({}))).toThrow(
        /^--part .* is not i\/n from 1\/n to n\/n, auto or auto\/n$/,
      );
    },
  );

  it("is refused beyond the last part, outside of arrays, and where nobody says how many tasks there are", () => {
    expect(() => readPart("9/8", undefined)).toThrow("--part 9/8 is part 9/8: parts go from 1 to 8");
    expect(() => readPart("0/8", undefined)).toThrow(/parts go from 1 to 8/);
    expect(() => readPart("auto", undefined)).toThrow(/needs a task of a job array .* use --part i\/n/);
    expect(() => readPart("auto", task({ count: undefined }))).toThrow(
      /SLURM_ARRAY_TASK_ID says 3, but not of how many: use --part auto\/n/,
    );
    expect(() => readPart("auto/2", task({}))).toThrow(
      /is 3, which is no part of 2: number the tasks from 1 to 2/,
    );
  });
});
