import { describe, expect, it } from "vitest";
import {
  gatherTransport,
  type TransportCheck,
} from "../../../src/paper/theory/evidence/transport-evidence.js";
import { FORMULAS } from "../../../src/paper/theory/formulas.js";
import { transportPrediction } from "../../../src/paper/theory/transport-band.js";
import { binSetting } from "./bin-setting.js";

const evidence = gatherTransport(binSetting());
const verdicts = (change: Partial<typeof evidence> = {}) =>
  transportPrediction({ ...evidence, ...change }).findings.map(({ verdict }) => verdict);
const withFirst = (change: Partial<TransportCheck>) =>
  evidence.partitions.map((check, i) => (i === 0 ? { ...check, ...change } : check));

describe("evidence on transport", () => {
  it("has every two clients and every client with the mean, of every partition", () => {
    for (const { clients, pairs } of evidence.partitions) expect(pairs).toBe((clients * (clients + 1)) / 2);
    const { partitions, cMin, cMax } = evidence;
    expect(Math.min(...partitions.map(({ leastRatio }) => leastRatio))).toBeGreaterThanOrEqual(
      cMin * (1 - 1e-12),
    );
    expect(Math.max(...partitions.map(({ mostRatio }) => mostRatio))).toBeLessThanOrEqual(cMax * (1 + 1e-12));
  });

  it("shows a few pairs of each partition, none twice", () => {
    const { partitions, points } = evidence;
    expect(points).toHaveLength(partitions.reduce((sum, { pairs }) => sum + Math.min(8, pairs), 0));
  });
});

describe("the verdict on transport", () => {
  it("holds on every partition made", () => {
    expect(verdicts()).toEqual(["holds", "holds", "holds", "holds", "holds"]);
  });

  it("fails in the one statement that one pair or partition breaks", () => {
    const unbroken = { lower: false, upper: false, sharper: false };
    expect(verdicts({ partitions: withFirst({ below: 1 }) })[0]).toBe("fails");
    expect(verdicts({ partitions: withFirst({ above: 1 }) })[1]).toBe("fails");
    const upper = verdicts({ partitions: withFirst({ broken: { ...unbroken, upper: true } }) });
    expect(upper).toEqual(["holds", "holds", "holds", "fails", "holds"]);
  });

  it("does not apply to lower bounds where two bins lie in one place", () => {
    expect(verdicts({ cMin: 0 })).toEqual([
      "does not apply",
      "holds",
      "does not apply",
      "holds",
      "does not apply",
    ]);
  });
});

it("names formulas that the page knows", () => {
  for (const label of transportPrediction(evidence).labels) expect(FORMULAS).toHaveProperty([label]);
});
