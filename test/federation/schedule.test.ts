import { describe, expect, it } from "vitest";
import { OptionError } from "../../src/errors.js";
import { type GivenRunOptions, runOptions } from "../../src/federation/run-options.js";
import { scheduleOf } from "../../src/federation/schedule.js";

const optionsWith = (more: Partial<GivenRunOptions>) =>
  runOptions({ task: "antiderivative", alpha: 1, rounds: 100, ...more });

describe("a schedule", () => {
  const values = (text: string, rounds: number, at: readonly number[]) =>
    at.map((round) => scheduleOf(text, { rounds })!(round));

  it("multiplies the rate by a power of its factor: exponential:0.5 is 1, 1/2, 1/4, 1/1024 in round 10", () => {
    expect(values("exponential:0.5", 11, [0, 1, 2, 10])).toEqual([1, 1 / 2, 1 / 4, 1 / 1024]);
  });

  it("multiplies the rate by its factor after every so many rounds: step:0.5:3 keeps 1 in rounds 0 to 2", () => {
    expect(values("step:0.5:3", 9, [0, 2, 3, 5, 6, 8])).toEqual([1, 1, 1 / 2, 1 / 2, 1 / 4, 1 / 4]);
  });

  it("is half a cosine over the run: 1, 3/4, 1/2, 1/4 at 0, 1/3, 1/2, 2/3 of it, and 0 after its last round", () => {
    const found = values("cosine", 6, [0, 2, 3, 4, 6]);
    for (const [i, value] of [1, 3 / 4, 1 / 2, 1 / 4, 0].entries()) expect(found[i]).toBeCloseTo(value, 14);
  });

  it("is a cosine to a share of the rate: cosine:0.2 is 0.6 after half of the run, cosine:0.2:12 after 6 of 12 rounds", () => {
    expect(values("cosine:0.2", 8, [0, 4])).toEqual([1, 0.6].map((x) => expect.closeTo(x, 14)));
    expect(values("cosine:0.2:12", 8, [6])[0]).toBeCloseTo(0.6, 14);
  });

  it("that is constant is none, and leaves the options of a run as they are", () => {
    expect(scheduleOf("constant", { rounds: 9 })).toBeUndefined();
    expect(scheduleOf(undefined, { rounds: 9 })).toBeUndefined();
    expect(optionsWith({ clientSchedule: "constant", serverSchedule: "constant" })).toEqual(optionsWith({}));
  });

  it("that lasts longer than the run is taken", () => {
    expect(optionsWith({ clientSchedule: "cosine:0:100" }).clientSchedule).toBe("cosine:0:100");
    expect(optionsWith({ clientSchedule: "cosine:0:101" }).clientSchedule).toBe("cosine:0:101");
    expect(optionsWith({ clientSchedule: "cosine", rounds: 0 }).clientSchedule).toBe("cosine");
  });

  it.each([
    ["cosine:0.1:99", "the schedule cosine ends after 99 rounds, but the run has 100"],
    [
      "exponential:0.5",
      "the schedule exponential:0.5 ends after 40 rounds, where the rate is below 1e-12 of what it was, but the run has 100",
    ],
    ["step:0.00001:30", "the schedule step:0.00001:30 ends after 90 rounds"],
  ])("that ends early is refused: %s in 100 rounds", (text, message) => {
    for (const more of [{ clientSchedule: text }, { serverSchedule: text }]) {
      expect(() => optionsWith(more)).toThrow(OptionError);
      expect(() => optionsWith(more)).toThrow(message);
    }
  });

  it.each([
    ...[
      "linear",
      "",
      "toString",
      "cosine:2",
      "cosine:-0.1",
      "cosine:0.1:0",
      "cosine:0.1:2.5",
      "cosine:0:100:1",
    ],
    ...[
      "exponential",
      "exponential:",
      "exponential:0",
      "exponential:1.1",
      "exponential:-0.5",
      "exponential:0.9:2",
    ],
    ...["step", "step:0.5", "step:0.5:0", "step:0.5:1.5", "step:0.5:3:1", "step:half:3", "constant:1"],
    ...["exponential:NaN", "exponential: ", "Cosine", "step:0.5:Infinity"],
  ])("that makes no sense is refused in one line: %j", (text) => {
    for (const more of [{ clientSchedule: text }, { serverSchedule: text }]) {
      expect(() => optionsWith(more)).toThrow(OptionError);
      expect(() => optionsWith(more)).toThrow(
        /^(a schedule is constant, exponential:0\.99, .*, not ".*"|\w+_schedule is constant.*)$/,
      );
    }
  });
});
