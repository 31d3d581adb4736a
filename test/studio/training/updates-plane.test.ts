import { describe, expect, it } from "vitest";
import { normal } from "../../../src/random/normal.js";
import { stream } from "../../../src/random/stream.js";
import { updatesPlane } from "../../../src/studio/training/updates-plane.js";

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + value * b[i], 0);
const gram = (rows: readonly (readonly number[])[]) =>
  Float64Array.from(rows.flatMap((a) => rows.map((b) => dot(a, b))));

/** Random updates with a common part, and weights of a mean. */
function updates(clients: number, size: number, seed: number) {
  const draws = stream(seed, "updates");
  const common = Array.from({ length: size }, () => normal(draws));
  const rows = Array.from({ length: clients }, (_, k) => common.map((c) => c + (0.2 + k) * normal(draws)));
  const total = (clients * (clients + 1)) / 2;
  return { rows, shares: Array.from({ length: clients }, (_, k) => (k + 1) / total) };
}

/** The projection by vectors in place of inner products: the mean, and power iteration on what is left. */
function oracle(rows: readonly (readonly number[])[], shares: readonly number[]) {
  const mean = rows[0].map((_, i) => rows.reduce((sum, row, k) => sum + shares[k] * row[i], 0));
  const length = Math.sqrt(dot(mean, mean));
  const first = mean.map((value) => value / length);
  const along = rows.map((row) => dot(row, first));
  const rest = rows.map((row, k) => row.map((value, i) => value - along[k] * first[i]));
  let second = rest[0].map((_, i) => Math.cos(3 * i));
  for (let step = 0; step < 3000; step++) {
    const weights = rest.map((row) => dot(row, second));
    const next = second.map((_, i) => rest.reduce((sum, row, k) => sum + weights[k] * row[i], 0));
    const size = Math.sqrt(dot(next, next));
    second = next.map((value) => value / size);
  }
  const across = rest.map((row) => dot(row, second));
  const shown = [...along, ...across].reduce((sum, value) => sum + value * value, 0);
  return { along, across, mean: length, shown: shown / rows.reduce((sum, row) => sum + dot(row, row), 0) };
}

describe("the plane of clients' updates", () => {
  it.each([
    [2, 5, 1],
    [5, 40, 2],
    [10, 200, 3],
  ])("is that of vectors: %i clients, %i parameters", (clients, size, seed) => {
    const { rows, shares } = updates(clients, size, seed);
    const expected = oracle(rows, shares);
    const { arrows, mean, shown } = updatesPlane(gram(rows), shares);
    expect(mean).toBeCloseTo(expected.mean, 8);
    expect(shown).toBeCloseTo(expected.shown, 6);
    const sign = Math.sign(arrows[1] * expected.across[0]);
    for (let k = 0; k < clients; k++) {
      expect(arrows[2 * k]).toBeCloseTo(expected.along[k], 8);
      expect(sign * arrows[2 * k + 1]).toBeCloseTo(expected.across[k], 4);
    }
  });

  it("has the mean of all arrows on its first axis", () => {
    const { rows, shares } = updates(6, 30, 4);
    const { arrows, mean } = updatesPlane(gram(rows), shares);
    const at = (axis: number) => shares.reduce((sum, share, k) => sum + share * arrows[2 * k + axis], 0);
    expect(at(0)).toBeCloseTo(mean, 10);
    expect(at(1)).toBeCloseTo(0, 8);
  });

  it("keeps its orientation from round to round", () => {
    const { rows, shares } = updates(6, 30, 5);
    const first = updatesPlane(gram(rows), shares);
    const turned = first.arrows.map((value, i) => (i % 2 === 1 ? -value : value));
    expect(updatesPlane(gram(rows), shares, first.arrows).arrows).toEqual(first.arrows);
    expect(updatesPlane(gram(rows), shares, turned).arrows).toEqual(turned);
  });

  it("shows equal updates as one arrow along the mean, and none where nobody moved", () => {
    const same = updatesPlane(
      gram([
        [3, 4],
        [3, 4],
        [3, 4],
      ]),
      [0.2, 0.3, 0.5],
    );
    expect(same.mean).toBeCloseTo(5, 12);
    expect(same.shown).toBeCloseTo(1, 12);
    for (const [i, value] of same.arrows.entries()) expect(value).toBeCloseTo(i % 2 === 0 ? 5 : 0, 6);
    expect(updatesPlane(new Float64Array(4), [0.5, 0.5])).toEqual({
      arrows: new Float64Array(4),
      mean: 0,
      shown: 1,
    });
  });
});
