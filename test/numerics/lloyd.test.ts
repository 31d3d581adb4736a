import { describe, expect, it } from "vitest";
import { Lloyd } from "../../src/numerics/lloyd.js";
import { clusteredRows, matrixOf } from "./matrices.js";

describe("a step of Lloyd's iteration", () => {
  it("gives a cluster without rows the row that is farthest from its mean", async () => {
    const lloyd = new Lloyd(await matrixOf([[0], [1], [9], [10], [30]]), 4);
    await lloyd.place(Float64Array.of(0.5, 9, 1000, 2000));
    const labels = await lloyd.nearest(new Int32Array(5));
    expect(Array.from(labels)).toEqual([0, 0, 1, 1, 1]);
    // The row at 30 is 21 away from 9; then that at 10 is the farthest with 1.
    expect(Array.from(await lloyd.refill(labels))).toEqual([0, 0, 1, 3, 2]);
  });

  it("goes on rightly after a cluster was filled again", async () => {
    const lloyd = new Lloyd(await matrixOf([[0], [1], [9], [10], [30]]), 3);
    await lloyd.place(Float64Array.of(0.5, 9, 1000));
    let labels = await lloyd.refill(await lloyd.nearest(new Int32Array(5)));
    await lloyd.restart(labels);
    labels = await lloyd.nearest(labels);
    expect(Array.from(labels)).toEqual([0, 0, 1, 1, 2]);
    expect(Array.from(lloyd.centres())).toEqual([0.5, 9.5, 30]);
  });

  it("finds with the bounds of earlier steps what it finds without any", async () => {
    const matrix = await matrixOf(clusteredRows(4, 600, 45, 6));
    const lloyd = new Lloyd(matrix, 15);
    let labels: Int32Array = Int32Array.from({ length: 600 }, (_, i) => i % 15);
    for (let step = 0; step < 12; step++) {
      await lloyd.update(labels);
      const nearest = await lloyd.nearest(labels);
      const fresh = new Lloyd(matrix, 15);
      await fresh.place(lloyd.centres());
      expect(await fresh.nearest(new Int32Array(600))).toEqual(nearest);
      fresh.release();
      labels = await lloyd.refill(nearest);
    }
  });

  it("reaches the means of labels step by step as from nothing, up to rounding", async () => {
    const matrix = await matrixOf(clusteredRows(4, 300, 45, 6));
    const lloyd = new Lloyd(matrix, 5);
    const labels = Int32Array.from({ length: 300 }, (_, i) => i % 5);
    for (let step = 0; step < 50; step++) {
      await lloyd.update(labels.map((label, i) => (label + ((i * step) % 3)) % 5));
    }
    await lloyd.update(labels);
    const stepwise = lloyd.centres();
    await lloyd.restart(labels);
    lloyd.centres().forEach((value, j) => {
      expect(Math.abs(stepwise[j] - value)).toBeLessThan(1e-13);
    });
  });
});
