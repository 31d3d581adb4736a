import { describe, expect, it } from "vitest";
import {
  type AcousticWaveOptions,
  acousticWaveSolver,
  rickerWavelet,
} from "../../src/equations/acoustic-wave.js";
import { lineSource, ricker } from "./line-source.js";
import { plainWave } from "./plain-wave.js";

const flat = (rows: number, c: number) => new Float64Array(rows).fill(c);
const trace = (traces: Float64Array, columns: number, column: number) =>
  traces.filter((_, i) => i % columns === column);

function relative(values: Float64Array, exact: Float64Array): number {
  let error = 0;
  let norm = 0;
  exact.forEach((value, i) => {
    error += (values[i] - value) ** 2;
    norm += value ** 2;
  });
  return Math.sqrt(error / norm);
}

const largest = (values: Float64Array) => values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
const difference = (a: Float64Array, b: Float64Array) => largest(a.map((value, i) => value - b[i]));

/** Index of the largest absolute value among entries `from` to `end - 1`. */
function peak(values: Float64Array, from = 0, end = values.length): number {
  let best = from;
  for (let n = from; n < end; n++) if (Math.abs(values[n]) > Math.abs(values[best])) best = n;
  return best;
}

/** 200 m from a shot in the middle of rock so wide that no edge answers, for 0.28 s, and what is exact there. */
function unbounded(c: number, spacing: number, timeStep: number) {
  const columns = 2 * Math.ceil((0.28 * c + 400) / (2 * spacing * 2)) + 2;
  const rows = 2 * columns + 1;
  const steps = Math.round(0.28 / timeStep);
  const wavelet = rickerWavelet(15, timeStep);
  const solve = acousticWaveSolver({
    rows,
    columns,
    spacing,
    timeStep,
    steps,
    wavelet,
    row: columns,
    sponge: 0,
    mirror: true,
  });
  const computed = trace(solve(flat(rows, c), 0), columns, 200 / spacing);
  const exactAt = lineSource(ricker(15, ((wavelet.length - 1) / 2) * timeStep), spacing ** 2);
  const exact = Float64Array.from({ length: steps }, (_, n) => exactAt(c, 200, (n + 1) * timeStep));
  return { computed, exact };
}

describe("the line-source oracle", () => {
  it.each([
    [1500, 5.462736, 212],
    [3000, 7.729532, 145],
    [4500, 9.466912, 123],
  ])("has at %d m/s a peak of %d, 200 m away, at sample %d", (c, value, index) => {
    const { exact } = unbounded(c, 10, 1e-3);
    expect(peak(exact)).toBe(index);
    expect(exact[index]).toBeCloseTo(value, 6);
  });
});

describe("the acoustic wave solver", () => {
  it.each([
    [1500, 10, 1e-3, 4.2e-2],
    [3000, 10, 1e-3, 2.7e-3],
    [4500, 10, 1e-3, 2.5e-3],
    [3000, 5, 5e-4, 9.2e-4],
  ])("is as near to an exact line source as the scheme should be: %d m/s, %d m, %d s", (c, h, dt, error) => {
    const { computed, exact } = unbounded(c, h, dt);
    expect(relative(computed, exact) / error).toBeCloseTo(1, 1);
  });

  it("is of second order in time and space refined together", () => {
    const [coarse, fine] = [4, 2].map((spacing) => {
      const { computed, exact } = unbounded(3000, spacing, 1e-4 * spacing);
      return relative(computed, exact);
    });
    expect(Math.log2(coarse / fine)).toBeGreaterThan(1.9);
    expect(Math.log2(coarse / fine)).toBeLessThan(2.1);
  });

  it("is of fourth order in space where time steps shrink with the square of the spacing", () => {
    const errors = [4, 2, 1].map((k) => {
      const { computed, exact } = unbounded(3000, 5 * k, 1.25e-4 * k * k);
      return relative(computed, exact);
    });
    expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(3.8);
    expect(Math.log2(errors[1] / errors[2])).toBeGreaterThan(3.85);
    expect(Math.log2(errors[1] / errors[2])).toBeLessThan(4.1);
  });

  it.each([
    [1500, 39.225, -20.694],
    [2000, 42.485, -22.254],
    [3000, 47.726, -24.654],
    [4000, 51.595, -26.43],
    [4500, 53.267, -27.165],
  ])("reads at the source, in rock of %d m/s, from %d down to %d", (c, most, least) => {
    const heard = trace(acousticWaveSolver({ steps: 300 })(flat(70, c), 34), 70, 34);
    expect(Math.max(...heard)).toBeCloseTo(most, 3);
    expect(Math.min(...heard)).toBeCloseTo(least, 3);
  });

  it("lets the direct wave arrive after distance over speed", () => {
    const traces = acousticWaveSolver({ steps: 500 })(flat(70, 2000), 0);
    const arrivals = [20, 40, 60].map((column) => peak(trace(traces, 70, column)));
    expect(Math.abs(arrivals[1] - arrivals[0] - 100)).toBeLessThanOrEqual(1);
    expect(Math.abs(arrivals[2] - arrivals[1] - 100)).toBeLessThanOrEqual(1);
  });

  it.each([0, 10, 20])("hears the image of the source below an interface, %d columns away", (column) => {
    const [above, below] = [2000, 3000];
    const solve = acousticWaveSolver({ mirror: true, steps: 700 });
    const layered = solve(
      flat(70, above).map((c, row) => (row < 36 ? c : below)),
      0,
    );
    const alone = solve(flat(70, above), 0);
    const echo = trace(
      layered.map((p, i) => p - alone[i]),
      70,
      column,
    );
    const depth = 345; // from row 1 to between rows 35 and 36
    const path = Math.hypot(10 * column, 2 * depth);
    const image = lineSource(ricker(15, 0.073), 100);
    const expected = Float64Array.from({ length: 700 }, (_, n) => image(above, path, (n + 1) / 1000));
    const arrival = peak(echo);
    expect(Math.abs(arrival - peak(expected))).toBeLessThanOrEqual(2);
    // Fresnel's coefficient for equal densities.
    const sine = (10 * column) / path;
    const cosine = Math.sqrt(1 - sine ** 2);
    const beyond = Math.sqrt(1 - ((below / above) * sine) ** 2);
    const coefficient = (below * cosine - above * beyond) / (below * cosine + above * beyond);
    expect(echo[arrival] / expected[peak(expected)] / coefficient).toBeCloseTo(1, 1);
  });

  it("hears the same with source and receiver exchanged", () => {
    const velocities = flat(70, 1800).map((c, row) => (row < 30 ? c : 3900));
    const solve = acousticWaveSolver({ everywhere: true });
    const there = trace(solve(velocities, 5), 70, 40);
    const back = trace(solve(velocities, 40), 70, 5);
    expect(difference(there, back)).toBeLessThan(1e-11 * largest(there));
  });

  it.each([1500, 2500, 3500, 4500])("hears less than a thousandth return from the sponge at %d m/s", (c) => {
    const sponged = acousticWaveSolver({ row: 35, mirror: true })(flat(70, c), 0);
    const wide = acousticWaveSolver({ rows: 551, columns: 300, row: 275, sponge: 0, mirror: true })(
      flat(551, c),
      0,
    );
    const inside = wide.filter((_, i) => i % 300 < 70);
    expect(difference(sponged, inside)).toBeLessThan(1e-3 * largest(inside));
  });

  it.each([
    ["in the open", false],
    ["at a mirror", true],
  ])("agrees with the scheme as it is written down, %s", (_, mirror) => {
    const [rows, columns, sponge, row, steps] = [10, 12, 8, 3, 80];
    const velocities = flat(rows, 1500).map((c, r) => c + 300 * r);
    const source = mirror ? 0 : 4;
    const left = sponge + (mirror ? columns - 1 : 0);
    const width = left + columns + sponge;
    const largestLoss = ((3 * 1500 * Math.log(1e7)) / (2 * (sponge - 1) * 10)) * 1e-3;
    const lossOf = (i: number, first: number, last: number) =>
      largestLoss * (Math.max(0, first - 1 - i, i - last - 1) / (sponge - 1)) ** 2;
    const velocityOf = (r: number) => velocities[Math.min(Math.max(r - sponge, 0), rows - 1)];
    const wavelet = rickerWavelet(15, 1e-3);
    const fields = plainWave({
      rows: rows + 2 * sponge,
      columns: width,
      courant: (r) => (velocityOf(r) * 1e-4) ** 2,
      loss: (r, c) => Math.max(lossOf(r, sponge, sponge + rows - 1), lossOf(c, sponge, width - sponge - 1)),
      source: [sponge + row, left + source],
      pushes: Array.from({ length: steps }, (__, n) => (velocities[row] * 1e-3) ** 2 * wavelet[n]),
    });
    const traces = acousticWaveSolver({ rows, columns, sponge, row, steps, mirror })(velocities, source);
    const plain = fields.flatMap((field) => {
      const first = (sponge + row) * width + left;
      return [...field.subarray(first, first + columns)];
    });
    expect(difference(traces, Float64Array.from(plain))).toBeLessThan(1e-11 * largest(traces));
  });

  it.each([
    ["slow over fast", (row: number) => (row < 35 ? 1500 : 4500)],
    ["three layers", (row: number) => (row < 20 ? 2000 : row < 45 ? 2800 : 3600)],
  ])("leaves out only what no receiver can tell: %s", (_, velocityAt) => {
    const velocities = Float64Array.from({ length: 70 }, (__, row) => velocityAt(row));
    const all = acousticWaveSolver({ mirror: true, everywhere: true })(velocities, 0);
    const needed = acousticWaveSolver({ mirror: true })(velocities, 0);
    expect(difference(all, needed)).toBeLessThan(2e-8 * largest(all));
  });

  it("keeps nothing of one shot for the next", () => {
    const options: AcousticWaveOptions = { steps: 200 };
    const solve = acousticWaveSolver(options);
    solve(flat(70, 4000), 60);
    expect(solve(flat(70, 1700), 10)).toEqual(acousticWaveSolver(options)(flat(70, 1700), 10));
  });

  it("refuses speeds that its steps cannot follow, maps of another depth and shots off the mirror", () => {
    expect(() => acousticWaveSolver()(flat(70, 6200), 0)).toThrow("6200 m/s is too fast");
    expect(() => acousticWaveSolver()(flat(60, 2000), 0)).toThrow("60 velocities for 70 rows");
    expect(() => acousticWaveSolver({ mirror: true })(flat(70, 2000), 3)).toThrow("column 3");
    expect(() => acousticWaveSolver({ columns: 71 })).toThrow("even");
  });
});

describe("the Ricker wavelet", () => {
  it("has 147 samples at 15 Hz and 1 ms, one at its middle, and is symmetric", () => {
    const wavelet = rickerWavelet(15, 1e-3);
    expect(wavelet).toHaveLength(147);
    expect(wavelet[73]).toBe(1);
    expect(wavelet.slice().reverse()).toEqual(wavelet);
    expect(wavelet[0]).toBeCloseTo(ricker(15, 0.073)(0), 12);
  });
});
