import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contrast, LEVEL_STYLES } from "../../src/figures/palette.js";
import type { SamplePanel } from "../../src/figures/samples/sample-panel.js";
import { chosenPart, partWords, usualPart } from "../../src/studio/page/parts/field/chosen-part.js";
import {
  binColors,
  clientStyles,
  legibleOn,
} from "../../src/studio/page/views/solutions/map/group-styles.js";
import { labelPlaces, overlap } from "../../src/studio/page/views/solutions/map/label-places.js";
import { MARGINS, mapFrame } from "../../src/studio/page/views/solutions/map/map-frame.js";
import {
  type Direction,
  nearestPoint,
  nearestTowards,
} from "../../src/studio/page/views/solutions/map/nearest-point.js";
import { AROUND, sampleLayout } from "../../src/studio/page/views/solutions/sample-layout.js";

type Place = readonly [number, number];
/** Whole numbers, so that points coincide and lie exactly on the border of two directions. */
const place = fc.tuple(fc.integer({ min: -6, max: 6 }), fc.integer({ min: -6, max: 6 }));
const cloud = fc.array(place, { minLength: 1, maxLength: 40 });
const distance = ([x, y]: Place, [a, b]: Place) => Math.hypot(x - a, y - b);

/** Numbers of places in the order of their distance from one, the first among equals. */
const byDistance = (places: readonly Place[], from: Place) =>
  places.map((_, i) => i).sort((i, j) => distance(places[i], from) - distance(places[j], from) || i - j);

/** Angle of a direction, counterclockwise from the right. */
const ANGLES: Readonly<Record<Direction, number>> = { right: 0, up: 90, left: 180, down: 270 };
const DIRECTIONS = Object.keys(ANGLES) as Direction[];

describe("the point that is meant on the map", () => {
  it("is the first of all by distance, if it is within reach", () => {
    fc.assert(
      fc.property(cloud, place, fc.integer({ min: 0, max: 9 }), (places, at, reach) => {
        const [best] = byDistance(places, at);
        const expected = distance(places[best], at) <= reach ? best : undefined;
        expect(nearestPoint(places.flat(), at, reach)).toBe(expected);
        expect(nearestPoint(places.flat(), at)).toBe(best);
      }),
    );
  });

  it("is undefined where there are no points", () => {
    expect(nearestPoint([], [0, 0])).toBeUndefined();
  });

  it("is for an arrow key the first by distance of those within 45 degrees of its direction", () => {
    fc.assert(
      fc.property(cloud, fc.constantFrom(...DIRECTIONS), (places, direction) => {
        const from = places[0];
        const expected = byDistance(places, from).find((i) => {
          const [dx, dy] = [places[i][0] - from[0], places[i][1] - from[1]];
          if (dx === 0 && dy === 0) return false;
          const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
          const apart = Math.abs(((angle - ANGLES[direction] + 540) % 360) - 180);
          return apart <= 45 + 1e-9;
        });
        expect(nearestTowards(places.flat(), 0, direction)).toBe(expected);
      }),
    );
  });

  it("is never out of reach: of all other points, none is nearer than the one to which some arrow key leads", () => {
    fc.assert(
      fc.property(cloud, place, (places, goal) => {
        const here = places[0];
        fc.pre(distance(here, goal) > 0);
        const all = [...places, goal];
        const next = DIRECTIONS.map((direction) => nearestTowards(all.flat(), 0, direction));
        expect(next.some((i) => i !== undefined && distance(all[i], here) <= distance(goal, here))).toBe(
          true,
        );
      }),
    );
  });
});

describe("the frame of the map", () => {
  const size = fc.record({
    width: fc.integer({ min: 120, max: 900 }),
    height: fc.integer({ min: 90, max: 700 }),
  });

  it("holds all points, has one scale for both axes, and finds the place under a pixel", () => {
    fc.assert(
      fc.property(cloud, size, (places, { width, height }) => {
        const frame = mapFrame(places.flat(), width, height);
        for (const [x, y] of places) {
          expect(frame.x(x)).toBeGreaterThanOrEqual(MARGINS.left);
          expect(frame.x(x)).toBeLessThanOrEqual(width - MARGINS.right);
          expect(frame.y(y)).toBeGreaterThanOrEqual(MARGINS.top);
          expect(frame.y(y)).toBeLessThanOrEqual(height - MARGINS.bottom);
          const [a, b] = frame.placeAt(frame.x(x), frame.y(y));
          expect(a).toBeCloseTo(x, 8);
          expect(b).toBeCloseTo(y, 8);
        }
        expect(frame.x(1) - frame.x(0)).toBeCloseTo(frame.unit, 8);
        expect(frame.y(0) - frame.y(1)).toBeCloseTo(frame.unit, 8);
      }),
    );
  });

  it("has ticks within it", () => {
    const { xTicks, yTicks, x, y } = mapFrame([-2.4, 0.7, 2.1, -0.6], 520, 330);
    expect(xTicks.map((tick) => Math.round(x(tick))).every((at) => at >= 46 && at <= 508)).toBe(true);
    expect(yTicks.map((tick) => Math.round(y(tick))).every((at) => at >= 10 && at <= 292)).toBe(true);
    expect(xTicks).toContain(0);
  });
});

describe("labels of bins", () => {
  const frame = { left: 40, top: 10, right: 400, bottom: 260 };
  const label = fc.record({
    x: fc.double({ min: 60, max: 380, noNaN: true }),
    y: fc.double({ min: 30, max: 240, noNaN: true }),
    width: fc.constantFrom(14, 22),
    height: fc.constantFrom(12, 16),
    reach: fc.constantFrom(16, 60),
  });

  it("do not overlap, stay in the frame and within their reach; the first is where it wants to be", () => {
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 60 }), (labels) => {
        const places = labelPlaces(labels, frame);
        expect(places[0]).toEqual({ x: labels[0].x, y: labels[0].y });
        const shown = labels.flatMap((one, i) => (places[i] ? [{ ...one, ...places[i] }] : []));
        shown.forEach((one, i) => {
          for (const other of shown.slice(i + 1)) expect(overlap(one, other)).toBe(false);
          expect(one.x - one.width / 2).toBeGreaterThanOrEqual(frame.left);
          expect(one.x + one.width / 2).toBeLessThanOrEqual(frame.right);
          expect(one.y - one.height / 2).toBeGreaterThanOrEqual(frame.top);
          expect(one.y + one.height / 2).toBeLessThanOrEqual(frame.bottom);
        });
        labels.forEach((one, i) => {
          const at = places[i];
          if (at) expect(Math.hypot(at.x - one.x, at.y - one.y)).toBeLessThanOrEqual(one.reach + 1e-9);
        });
      }),
    );
  });

  it("are left out where there is no room", () => {
    const one = { x: 200, y: 100, width: 20, height: 16, reach: 0 };
    expect(labelPlaces([one, one], frame)).toEqual([{ x: 200, y: 100 }, undefined]);
  });
});

describe("colours of bins and clients", () => {
  const COLORS = LEVEL_STYLES.map(({ color }) => color);

  it("are all different for twelve bins; then each bin takes the colour that is farthest away", () => {
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 50 }), (centroids) => {
        const colors = binColors(centroids.flat());
        expect(colors.slice(0, 12)).toEqual(COLORS.slice(0, centroids.length));
        for (let bin = 12; bin < centroids.length; bin++) {
          const room = (color: string) =>
            Math.min(
              ...centroids
                .slice(0, bin)
                .flatMap((at, i) => (colors[i] === color ? [distance(at, centroids[bin])] : [])),
            );
          expect(room(colors[bin])).toBe(Math.max(...COLORS.map(room)));
        }
      }),
    );
  });

  it("differ in colour or marker for 84 clients", () => {
    const styles = clientStyles(84).map(({ color, symbol }) => color + symbol);
    expect(new Set(styles).size).toBe(84);
  });

  it.each(["#ffffff", "#14171c"])("stand out from the ground %s", (ground) => {
    for (const color of COLORS) expect(contrast(legibleOn(color, ground), ground)).toBeGreaterThanOrEqual(3);
    const strong = ground === "#ffffff" ? "#004488" : "#ddaa33";
    expect(legibleOn(strong, ground)).toBe(strong);
  });
});

describe("the panels of a sample", () => {
  const axis = { label: "x", start: 0, end: 1 };
  const image = (quantity: string, aspect = 1, place?: string): SamplePanel => ({
    title: "Response",
    quantity,
    aspect,
    ...(place !== undefined && { place }),
    image: { values: [0], rows: 1, columns: 1, x: axis, y: axis },
  });
  const curve: SamplePanel = { quantity: "u", aspect: 1.3, curve: { x: [0, 1], y: [0, 1] }, xLabel: "x" };

  it("stand for the whole by the middle frame, or by the first channel", () => {
    expect(usualPart([image("u"), image("u"), image("u")])).toBe(1);
    expect(usualPart([image("u"), image("v"), image("w")])).toBe(0);
    expect(usualPart([curve])).toBe(0);
    expect(chosenPart([image("u"), image("v"), image("w")], 3)).toBe(2);
    expect(chosenPart([image("u"), image("v"), image("w")], 4)).toBe(0);
    expect(partWords(image("u", 1, "$t$ = 0.5"))).toBe("Response, t = 0.5");
  });

  it("fit their room where it is large enough, and fill the width if they are curves", () => {
    const aspects = fc.array(fc.double({ min: 0.4, max: 2.5, noNaN: true }), { minLength: 1, maxLength: 3 });
    const room = fc.record({
      width: fc.integer({ min: 380, max: 900 }),
      height: fc.integer({ min: 340, max: 900 }),
    });
    fc.assert(
      fc.property(aspects, aspects, room, (responses, inputs, { width, height }) => {
        const layout = sampleLayout(
          [
            { of: "response", panels: responses.map((aspect) => image("u", aspect)) },
            { of: "input", panels: inputs.map((aspect) => image("a", aspect)) },
          ],
          { width, height },
        );
        expect(layout.height).toBeGreaterThanOrEqual(24);
        for (const row of layout.rows) {
          const panels = row.flatMap((group) => group.panels);
          const used =
            panels.reduce((sum, { aspect }) => sum + aspect * layout.height, 0) +
            row.length * AROUND.left +
            (panels.length - 1) * AROUND.gap;
          if (layout.height > 24) expect(used).toBeLessThanOrEqual(width + 1e-6);
        }
        if (layout.height > 56) expect(layout.least).toBeLessThanOrEqual(height);
      }),
    );
    const { rows, height } = sampleLayout([{ of: "response", panels: [curve] }], { width: 500, height: 300 });
    expect(rows[0][0].panels[0].aspect * height + AROUND.left).toBeCloseTo(500, 6);
  });
});
