import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Option, OptionValue } from "../../../src/options/option.js";
import { settingsOf } from "../../../src/studio/address.js";
import { DEFAULT_SETTINGS } from "../../../src/studio/settings.js";
import { RUN_FIELDS } from "../../../src/studio/training/run-fields.js";
import {
  checkRuns,
  formatRuns,
  MOST_RUNS,
  parseRuns,
  type RunChanges,
} from "../../../src/studio/training/run-list.js";
import { PRESETS, runNames } from "../../../src/studio/training/run-names.js";

/** Any value that an option takes. */
function anyValue(option: Option): fc.Arbitrary<OptionValue> {
  switch (option.kind) {
    case "whole":
      return fc.integer({ min: option.from, max: option.to ?? Number.MAX_SAFE_INTEGER });
    case "number":
      return fc
        .double({ min: option.from, max: option.to, noNaN: true })
        .filter((value) => !(option.below && value === option.to))
        .map((value) => (value === 0 ? 0 : value)); // a text has no negative zero
    case "choice":
      return fc.constantFrom(...option.values);
    case "flag":
      return fc.boolean();
    case "text":
      return fc
        .string({ minLength: 1, unit: "grapheme" })
        .filter((text) => text.trim() === text && text !== "");
  }
}

const run: fc.Arbitrary<RunChanges> = fc
  .record(Object.fromEntries(Object.entries(RUN_FIELDS).map(([name, option]) => [name, anyValue(option)])), {
    requiredKeys: [],
  })
  .map((found) => ({ ...found }) as RunChanges);

describe("the text of a list of runs", () => {
  it("says any runs, and is read as the same ones", () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: MOST_RUNS }), (runs) => {
        expect(parseRuns(formatRuns(runs))).toEqual(runs);
      }),
    );
  });

  it("survives the address of the page", () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 3 }), (runs) => {
        const address = new URLSearchParams({ runs: formatRuns(runs) }).toString();
        expect(parseRuns(settingsOf(address).settings.runs)).toEqual(runs);
      }),
    );
  });

  it("may have spaces, and a run that changes nothing", () => {
    expect(parseRuns(" as-set ; strategy = fedprox , mu=0.1")).toEqual([
      {},
      { strategy: "fedprox", mu: 0.1 },
    ]);
    expect(formatRuns([{}, { alpha: 1 }])).toBe("as-set;alpha=1");
  });

  it.each([
    ["alph=1", 'run 1: runs have no setting "alph"'],
    ["alpha=0.1;alpha=x", 'run 2: alpha is a number from 0.000001 to 1000000000, not "x"'],
    ["alpha=", 'run 1: alpha is a number from 0.000001 to 1000000000, not ""'],
    ["local_steps=2.5", 'run 1: local_steps is a whole number from 1 on, not "2.5"'],
    ["strategy=fedfoo", "run 1: strategy is one of fedavg, fedprox"],
    ["bias_correction=maybe", 'run 1: bias_correction is true or false, not "maybe"'],
    ["alpha=1,alpha=2", "run 1 says alpha twice: leave one out"],
    ["as-set;scaffold", 'run 2: "scaffold" says nothing; write alpha=0.1 or strategy=fedprox,mu=0.1'],
  ])("says in one line what is wrong with %s", (text, message) => {
    expect(() => parseRuns(text)).toThrow(message);
  });

  it("refuses more runs than a chart can show, and two that are the same in another order", () => {
    expect(() => checkRuns(parseRuns("alpha=1;alpha=2;alpha=3;alpha=4;alpha=5;alpha=6;alpha=7"))).toThrow(
      "7 runs are too many to tell apart",
    );
    expect(() => checkRuns(parseRuns("alpha=1,seed=2;alpha=3;seed=2,alpha=1"))).toThrow(
      "runs 1 and 3 are the same: change or remove one",
    );
  });

  it("has presets that can be trained side by side", () => {
    for (const { runs } of PRESETS) {
      expect(() => checkRuns(runs)).not.toThrow();
      expect(parseRuns(formatRuns(runs))).toEqual(runs);
    }
  });
});

describe("names of runs", () => {
  const names = (text: string) => runNames(DEFAULT_SETTINGS, parseRuns(text));

  it("say what differs, and no more", () => {
    expect(names("alpha=100;alpha=0.1")).toEqual(["α = 100", "α = 0.1"]);
    expect(names("alpha=100,strategy=scaffold;alpha=0.1,strategy=scaffold")).toEqual(["α = 100", "α = 0.1"]);
    expect(names("strategy=fedavg;strategy=fedprox,mu=0.1;strategy=scaffold")).toEqual([
      "FedAvg",
      "FedProx, μ = 0.1",
      "SCAFFOLD",
    ]);
    expect(names("as-set;participation=0.5")).toEqual(["all clients", "participation 0.5"]);
    expect(names("optimizer=sgd,rate=0.1;optimizer=adam")).toEqual(["SGD, learning rate 0.1", "Adam"]);
    expect(names("as-set")).toEqual(["as set"]);
  });
});
