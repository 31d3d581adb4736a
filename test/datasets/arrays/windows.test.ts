import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asChannels } from "../../../src/datasets/files/arrays/channels.js";
import { parseSelections } from "../../../src/datasets/files/arrays/expression.js";
import { sliced } from "../../../src/datasets/files/arrays/slice.js";
import { repeatedForWindows, windowed, windowsOf } from "../../../src/datasets/files/arrays/windows.js";
import { agrees, counting, type Plain, shapes, stored } from "./oracle.js";

const equal = (found: unknown, wanted: unknown) => expect(found).toEqual(wanted);

/** Frames of a window as a user writes them, with the offsets that a loop gives. */
const frames = fc.integer({ min: -2, max: 3 }).chain((from) =>
  fc.oneof(
    fc.constant({ text: `t${from < 0 ? from : `+${from}`}`, offsets: [from], isSingle: true }),
    fc
      .record({ count: fc.integer({ min: 1, max: 4 }), step: fc.integer({ min: 1, max: 3 }) })
      .map(({ count, step }) => {
        const offsets: number[] = [];
        for (let at = from; at < from + count; at += step) offsets.push(at);
        const place = (at: number) => (at === 0 ? "t" : at < 0 ? `t - ${-at}` : `t+${at}`);
        return { text: `${place(from)}:${place(from + count)}:${step}`, offsets, isSingle: false };
      }),
  ),
);

describe("windows of trajectories", () => {
  it("are what a loop over trajectories and starts gives, for several arrays at once", async () => {
    const cases = fc.record({
      trajectories: fc.integer({ min: 1, max: 4 }),
      length: fc.integer({ min: 4, max: 9 }),
      space: shapes(0, 2, 3),
      /** Axis of time among those after the samples. */
      at: fc.nat(2),
      both: fc.tuple(frames, frames),
      step: fc.integer({ min: 1, max: 4 }),
      hasBox: fc.boolean(),
    });
    let fitting = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ trajectories, length, space, at, both, step, hasBox }) => {
        const axis = 1 + Math.min(at, space.length);
        const shape = [trajectories, ...space.slice(0, axis - 1), length, ...space.slice(axis - 1)];
        const plain = counting(shape);
        const parts = both.map(({ text }) => {
          const [selection] = parseSelections(`u[${":, ".repeat(axis)}${text}]`);
          return sliced(stored(plain, { hasBox }), selection);
        });
        parts.forEach(({ frames: found }, i) => {
          expect(found).toEqual({ offsets: both[i].offsets, isSingle: both[i].isSingle, axis });
        });
        const offsets = both.flatMap((one) => one.offsets);
        // Every t from 0 on at which all frames of both arrays exist, `step` apart from the first of them.
        const starts: number[] = [];
        for (let t = 0; t < 2 * length; t++)
          if (offsets.every((offset) => t + offset >= 0 && t + offset < length)) starts.push(t);
        const taken = starts.filter((_, i) => i % step === 0);
        const wanted = () =>
          windowsOf(
            { trajectories, length, path: "u.h5" },
            parts.map((one) => one.frames!),
            step,
          );
        if (taken.length === 0) {
          expect(wanted).toThrow("does not fit");
          return;
        }
        fitting++;
        const windows = wanted();
        expect([windows.each, windows.first]).toEqual([taken.length, taken[0]]);
        for (const [i, { array, frames: found }] of parts.entries()) {
          const { isSingle, offsets: own } = both[i];
          const oracle: Plain = {
            shape: [trajectories * taken.length, ...(isSingle ? [] : [own.length]), ...space],
            at: ([sample, ...place]) => {
              const t = taken[sample % taken.length] + own[isSingle ? 0 : place[0]];
              const point = isSingle ? place : place.slice(1);
              point.splice(axis - 1, 0, t);
              return plain.at([Math.floor(sample / taken.length), ...point]);
            },
          };
          await agrees(windowed(array, found!, windows), oracle, equal);
        }
        const still = counting([trajectories, ...space]);
        await agrees(
          repeatedForWindows(stored(still, { hasBox }), windows),
          {
            shape: [trajectories * taken.length, ...space],
            at: ([sample, ...place]) => still.at([Math.floor(sample / taken.length), ...place]),
          },
          equal,
        );
      }),
      { numRuns: 150 },
    );
    expect(fitting).toBeGreaterThan(40);
  });

  it("are labelled by their frames, together with the channels that a frame has", async () => {
    const plain = counting([2, 5, 3, 2]);
    const array = stored(plain, {
      attributes: { DIMENSION_LABELS: ["sample", "t", "x", "component"], channel_labels: ["vx", "vy"] },
      scales: [undefined, "time", "x", undefined],
    });
    const part = sliced(array, parseSelections("v[:, t:t+4:2]")[0]);
    const windows = windowsOf({ trajectories: 2, length: 5, path: "v.h5" }, [part.frames!], 1);
    const found = windowed(part.array, part.frames!, windows);
    expect(found.attributes).toEqual({
      DIMENSION_LABELS: ["", "channel", "x"],
      channel_labels: ["vx t", "vy t", "vx t+2", "vy t+2"],
    });
    expect(found.scales).toEqual([undefined, undefined, "x"]);
    await agrees(
      found,
      {
        shape: [6, 4, 3],
        at: ([sample, channel, x]) =>
          plain.at([Math.floor(sample / 3), (sample % 3) + 2 * Math.floor(channel / 2), x, channel % 2]),
      },
      equal,
    );
  });
});

describe("arrays that become channels", () => {
  it("are stacked after the samples, whatever their types and however many channels they have", async () => {
    const cases = shapes(0, 2, 3).chain((space) =>
      fc.record({
        space: fc.constant(space),
        samples: fc.integer({ min: 1, max: 4 }),
        /** Number of channels and where they are, of an array that has an axis for them. */
        parts: fc.array(
          fc.record({
            own: fc.option(fc.record({ count: fc.integer({ min: 1, max: 3 }), at: fc.nat(space.length) })),
            isFloat32: fc.boolean(),
          }),
          { minLength: 2, maxLength: 4 },
        ),
        hasBox: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ space, samples, parts, hasBox }) => {
        const arrays = parts.map(({ own, isFloat32 }, i) => {
          const shape = [samples, ...space];
          const labels = ["sample", ...space.map((_, axis) => "xyz"[axis])];
          if (own) {
            shape.splice(1 + own.at, 0, own.count);
            labels.splice(1 + own.at, 0, "component");
          }
          const plain = { shape, at: (place: readonly number[]) => 1000 * i + counting(shape).at(place) };
          const array = stored(plain, { hasBox, attributes: { DIMENSION_LABELS: labels } });
          const as32 = { ...array, dtype: "float32" as const };
          const narrow = {
            ...as32,
            readBox: undefined,
            read: async (start: number, end: number) =>
              Float32Array.from((await array.read(start, end)) as Float64Array),
          };
          return { plain, own, array: isFloat32 ? narrow : array };
        });
        const channels = arrays.flatMap(({ own }, part) =>
          Array.from({ length: own?.count ?? 1 }, (_, channel) => ({ part, channel })),
        );
        const found = asChannels(
          arrays.map(({ array }, i) => ({ label: `p${i}`, array })),
          "u.h5",
        );
        expect(found.attributes.channel_labels).toEqual(
          channels.map(({ part, channel }) => (arrays[part].own ? `p${part} ${channel}` : `p${part}`)),
        );
        expect(found.attributes.DIMENSION_LABELS).toEqual([
          "",
          "channel",
          ...space.map((_, axis) => "xyz"[axis]),
        ]);
        const oracle: Plain = {
          shape: [samples, channels.length, ...space],
          at: ([sample, at, ...place]) => {
            const { part, channel } = channels[at];
            const { own, plain } = arrays[part];
            const from = [...place];
            if (own) from.splice(own.at, 0, channel);
            return plain.at([sample, ...from]);
          },
        };
        await agrees(found, oracle, equal);
      }),
      { numRuns: 100 },
    );
  });

  it("are refused where their shapes differ", () => {
    const part = (label: string, shape: number[]) => ({ label, array: stored(counting(shape)) });
    expect(() => asChannels([part("u", [4, 9, 9]), part("v", [4, 9, 8])], "d.h5")).toThrow(
      "arrays that become channels have one shape, but in d.h5 u is 4 x 9 x 9 and v is 4 x 9 x 8",
    );
    expect(() => asChannels([part("u", [4, 9]), part("v", [3, 9])], "d.h5")).toThrow(
      "u is 4 x 9 and v is 3 x 9",
    );
  });

  it("add the components along a short axis without a name, but no side of a small grid", () => {
    const stack = (...given: number[][]) =>
      asChannels(
        given.map((shape, i) => ({ label: "uv"[i], array: stored(counting(shape)) })),
        "d.h5",
      );
    const both = stack([4, 2, 9, 9], [4, 9, 9]);
    expect([both.shape, both.attributes.channel_labels]).toEqual([
      [4, 3, 9, 9],
      ["u 0", "u 1", "v"],
    ]);
    expect(stack([4, 9, 8, 3], [4, 9, 8, 3]).shape).toEqual([4, 6, 9, 8]);
    expect(stack([4, 5, 5], [4, 5, 5]).shape).toEqual([4, 2, 5, 5]);
    expect(stack([4, 2, 9, 3], [4, 2, 9, 3]).shape).toEqual([4, 2, 2, 9, 3]);
  });

  it("do not take a label of channels that a slice dropped for an axis of channels", async () => {
    const array = stored(counting([2, 3, 4, 4]), {
      attributes: { DIMENSION_LABELS: ["sample", "channel", "x", "y"], channel_labels: ["a", "b", "c"] },
    });
    const parts = ["u[:, 2]", "u[:, 0]"].map((text) => ({
      label: text,
      ...sliced(array, parseSelections(text)[0]),
    }));
    const found = asChannels(parts, "u.h5");
    expect(found.shape).toEqual([2, 2, 4, 4]);
    expect(found.attributes.channel_labels).toEqual(["u[:, 2]", "u[:, 0]"]);
    const two = sliced(array, parseSelections("u[:, ::2]")[0]).array;
    expect(two.attributes.channel_labels).toEqual(["a", "c"]);
  });
});
