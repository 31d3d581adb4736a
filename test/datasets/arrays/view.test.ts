import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gathered, readBox } from "../../../src/datasets/files/arrays/box.js";
import { parseSelections } from "../../../src/datasets/files/arrays/expression.js";
import { sliced } from "../../../src/datasets/files/arrays/slice.js";
import { type ViewAxis, viewOf } from "../../../src/datasets/files/arrays/view.js";
import { agrees, counting, numbers, type Plain, shapes, stored } from "./oracle.js";

/** Worked out by scripts/golden/slices.py. */
const SLICES: { shape: number[]; slice: string; result: number[]; values: number[] }[] = JSON.parse(
  readFileSync(new URL("../../golden/slices.json", import.meta.url), "utf8"),
);

const equal = (found: unknown, wanted: unknown) => expect(found).toEqual(wanted);

/** A range of an axis, as a box or a view has it. */
const rangeWithin = (length: number) =>
  fc
    .nat(length - 1)
    .chain((start) =>
      fc
        .integer({ min: 1, max: 3 })
        .chain((step) =>
          fc
            .integer({ min: 1, max: Math.floor((length - 1 - start) / step) + 1 })
            .map((count) => ({ start, length: count, step })),
        ),
    );

/** One entry of a slice: the text, and the places that NumPy gives for it; a number for a dropped axis. */
function entryOf(length: number): fc.Arbitrary<{ text: string; places: number | number[] }> {
  const written = (at: number, isEnd = false) =>
    fc
      .boolean()
      .map((isNegative) => (isNegative && !(isEnd && at === length) ? String(at - length) : String(at)));
  const index = fc.nat(length - 1).chain((at) => written(at).map((text) => ({ text, places: at })));
  const range = fc.nat(length - 1).chain((start) =>
    fc.integer({ min: start + 1, max: length }).chain((stop) =>
      fc.integer({ min: 1, max: 4 }).chain((step) =>
        fc
          .tuple(
            start === 0 ? fc.oneof(fc.constant(""), written(start)) : written(start),
            stop === length ? fc.oneof(fc.constant(""), written(stop, true)) : written(stop, true),
            step === 1 ? fc.constantFrom("", ":", ":1") : fc.constant(`:${step}`),
          )
          .map(([from, to, by]) => {
            const found: number[] = [];
            for (let i = start; i < stop; i += step) found.push(i);
            return { text: `${from}:${to}${by}`, places: found };
          }),
      ),
    ),
  );
  return fc.oneof(index, range);
}

/** A shape with a slice of it: with `...` or a short list where the entries allow it. */
const slices = shapes(1, 4, 6).chain((shape) =>
  fc.record({
    shape: fc.constant(shape),
    entries: fc.tuple(...shape.map(entryOf)),
    /** Axes `from` to `to - 1` are whole and stand behind `...`. */
    hidden: fc.option(
      fc
        .nat(shape.length)
        .chain((from) => fc.integer({ min: from, max: shape.length }).map((to) => [from, to] as const)),
    ),
    isShort: fc.boolean(),
    hasBox: fc.boolean(),
  }),
);

describe("a view of an array", () => {
  it("has the numbers that NumPy's slices have, with dropped axes, steps and negative places", async () => {
    await fc.assert(
      fc.asyncProperty(slices, async ({ shape, entries, hidden, isShort, hasBox }) => {
        const whole = (axis: number) => Array.from({ length: shape[axis] }, (_, i) => i);
        const isHidden = (axis: number) => hidden !== null && axis >= hidden[0] && axis < hidden[1];
        const chosen = entries.map((entry, axis) => (isHidden(axis) ? whole(axis) : entry.places));
        const texts = entries.map(({ text }) => text);
        if (hidden) texts.splice(hidden[0], hidden[1] - hidden[0], "...");
        // A list that ends in whole axes may leave them out.
        if (isShort && hidden?.[1] === shape.length && texts.length > 1) texts.pop();
        const kept = chosen.flatMap((found, axis) => (Array.isArray(found) ? [{ axis, found }] : []));
        const plain = counting(shape);
        const oracle: Plain = {
          shape: kept.map(({ found }) => found.length),
          at: (place) => {
            const from = chosen.map((found) => (Array.isArray(found) ? 0 : found));
            kept.forEach(({ axis, found }, i) => {
              from[axis] = found[place[i]];
            });
            return plain.at(from);
          },
        };
        const [selection] = parseSelections(`u[${texts.join(", ")}]`);
        const { array, frames } = sliced(stored(plain, { hasBox }), selection);
        expect(frames).toBeUndefined();
        await agrees(array, oracle, equal);
      }),
      { numRuns: 200 },
    );
  });

  it.each(SLICES)("has what NumPy gives for $shape [$slice]", async ({ shape, slice, result, values }) => {
    for (const hasBox of [false, true]) {
      const { array } = sliced(stored(counting(shape), { hasBox }), parseSelections(`u[${slice}]`)[0]);
      expect(array.shape).toEqual(result);
      expect([...(await array.read(0, array.rows))]).toEqual(values);
    }
  });

  it("has axes in any order, axes that repeat what is there, and parts of parts", async () => {
    const views = shapes(1, 4, 4).chain((shape) =>
      fc.record({
        shape: fc.constant(shape),
        order: fc.shuffledSubarray(
          shape.map((_, axis) => axis),
          { minLength: 0 },
        ),
        ranges: fc.tuple(...shape.map(rangeWithin)),
        repeats: fc.array(fc.record({ at: fc.nat(4), length: fc.integer({ min: 1, max: 3 }) }), {
          maxLength: 2,
        }),
        fixed: fc.tuple(...shape.map((length) => fc.nat(length - 1))),
        seed: fc.infiniteStream(fc.nat(100)),
        hasBox: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(views, async ({ shape, order, ranges, repeats, fixed, seed, hasBox }) => {
        const axes: ViewAxis[] = order.map((axis) => ({ axis, ...ranges[axis] }));
        for (const { at, length } of repeats) axes.splice(at, 0, { axis: undefined, length });
        if (axes.length === 0) return;
        const plain = counting(shape);
        const oracle: Plain = {
          shape: axes.map(({ length }) => length),
          at: (place) => {
            const from = [...fixed];
            axes.forEach((one, i) => {
              if (one.axis !== undefined) from[one.axis] = one.start + place[i] * one.step;
            });
            return plain.at(from);
          },
        };
        const view = viewOf(stored(plain, { hasBox }), axes, { ...fixed });
        await agrees(view, oracle, equal);
        // A box of the view.
        const next = () => seed.next().value!;
        const box = view.shape.map((length) => {
          const start = next() % length;
          const step = 1 + (next() % 3);
          return { start, step, length: 1 + (next() % (Math.floor((length - 1 - start) / step) + 1)) };
        });
        const part: Plain = {
          shape: box.map(({ length }) => length),
          at: (place) => oracle.at(place.map((i, axis) => box[axis].start + i * box[axis].step)),
        };
        expect([...(await readBox(view, box))]).toEqual(numbers(part));
      }),
      { numRuns: 200 },
    );
  });

  it("reads an array without boxes in pieces, whose values it puts together", async () => {
    const [rows, size] = [70, 1 << 17]; // 9 million numbers: several pieces
    const reads: number[] = [];
    const array = {
      shape: [rows, size],
      rows,
      dtype: "float32" as const,
      read: async (start: number, end: number) => {
        reads.push(end - start);
        const found = new Float32Array((end - start) * size);
        for (let i = start; i < end; i++) found.fill(i, (i - start) * size, (i - start + 1) * size);
        return found;
      },
    };
    const found = await readBox(array, [
      { start: 1, length: 35, step: 2 },
      { start: 5, length: 2, step: size - 6 },
    ]);
    expect([...found]).toEqual(Array.from({ length: 35 }, (_, i) => [1 + 2 * i, 1 + 2 * i]).flat());
    expect(reads.length).toBeGreaterThan(1);
    expect(Math.max(...reads)).toBeLessThanOrEqual(32);
  });

  it("keeps the type of whole numbers of 64 bits", () => {
    const values = BigInt64Array.from({ length: 6 }, (_, i) => 2n ** 60n + BigInt(i));
    expect([...gathered(values, 0, [3, 2], [1, 3])]).toEqual([0, 3, 1, 4, 2, 5].map((i) => values[i]));
  });

  it("has the names and the coordinates of the axes that are left", () => {
    const array = stored(counting([4, 6, 8]), {
      attributes: { DIMENSION_LABELS: ["sample", "t", "x"], units: "m" },
      scales: [undefined, "time[0:6]", "x"],
    });
    const part = (text: string) => {
      const { array: found } = sliced(array, parseSelections(text)[0]);
      return [found.attributes.DIMENSION_LABELS, found.scales];
    };
    expect(part("u[:, -1]")).toEqual([
      ["sample", "x"],
      [undefined, "x"],
    ]);
    expect(part("u[..., ::4]")).toEqual([
      ["sample", "t", "x"],
      [undefined, "time[0:6]", "x[0:5:4]"],
    ]);
    expect(part("u[:, 1:6:2, 3]")).toEqual([
      ["sample", "t"],
      [undefined, "time[1:6:2]"],
    ]);
  });

  it("has a slice of a slice of coordinates as one slice", () => {
    const array = stored(counting([4, 10]), { scales: [undefined, "t[2:22:2]"] });
    const { array: found } = sliced(array, parseSelections("u[:, 3:9:3]")[0]);
    expect(found.scales).toEqual([undefined, "t[8:15:6]"]);
  });
});
