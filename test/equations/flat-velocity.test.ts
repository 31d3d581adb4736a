import { describe, expect, it } from "vitest";
import { acousticWaveSolver } from "../../src/equations/acoustic-wave.js";
import {
  directGathers,
  FLAT_VELOCITY_DEFAULTS,
  FLAT_VELOCITY_RESPONSE_SHAPE,
  flatVelocityCoordinates,
  flatVelocityInputShape,
  flatVelocitySampler,
  SHOT_COLUMNS,
} from "../../src/equations/flat-velocity.js";
import { scaledPressure, scaledVelocity } from "../../src/equations/seismic-scaling.js";
import { drawVelocityLayers } from "../../src/equations/velocity-layers.js";
import { stream } from "../../src/random/stream.js";

const sample = flatVelocitySampler(FLAT_VELOCITY_DEFAULTS);
const random = (i: number) => stream(7, "flat-velocity", "test", i);

/** Gathers are too long for `toEqual`, which takes seconds over them. */
const sameBits = (a: Float32Array, b: Float32Array) =>
  Buffer.compare(new Uint8Array(a.buffer), new Uint8Array(b.buffer)) === 0;

describe("the flat-velocity task", () => {
  it("hears in one shot what any shot hears, where layers go on beyond the reach of the sponge", () => {
    const velocities = Float64Array.from({ length: 70 }, (_, row) => (row < 25 ? 1900 : 2700));
    const beside = 180; // columns to where the sponge begins: too far to hear from in a second
    const one = acousticWaveSolver({ columns: beside, mirror: true })(velocities, 0);
    const width = 70 + 2 * beside;
    for (const shot of [17, 69]) {
      const direct = acousticWaveSolver({ columns: width })(velocities, beside + shot);
      let worst = 0;
      for (let time = 0; time < 1000; time++) {
        for (let receiver = 0; receiver < 70; receiver++) {
          const expected = direct[time * width + beside + receiver];
          worst = Math.max(worst, Math.abs(one[time * beside + Math.abs(receiver - shot)] - expected));
        }
      }
      expect(worst).toBeLessThan(1e-7 * 42);
    }
  });

  it.each([0, 2])("hears in one shot what five direct shots hear but for their sponge, sample %d", (i) => {
    const { input } = sample(random(i));
    const direct = directGathers()(drawVelocityLayers(random(i)));
    expect(input).toHaveLength(direct.length);
    let error = 0;
    let norm = 0;
    let worst = 0;
    // Back to pressure, which the logarithm has compressed.
    const zero = scaledPressure(0);
    const [least, greatest] = [-Math.log1p(26.95), Math.log1p(52.77)];
    input.forEach((value, at) => {
      const compressed = ((value - zero) * (greatest - least)) / 2;
      const pressure = Math.sign(compressed) * Math.expm1(Math.abs(compressed));
      error += (pressure - direct[at]) ** 2;
      norm += direct[at] ** 2;
      worst = Math.max(worst, Math.abs(value - scaledPressure(direct[at])));
    });
    expect(Math.sqrt(error / norm)).toBeLessThan(5e-3);
    expect(worst).toBeLessThan(0.01);
  });

  it("scales by the published constants", () => {
    const [least, greatest] = [-3.3304, 3.9847];
    const scaled = (compressed: number) => (2 * (compressed - least)) / (greatest - least) - 1;
    expect(scaledPressure(-26.95)).toBe(-1);
    expect(scaledPressure(52.77)).toBe(1);
    expect(scaledPressure(0)).toBeCloseTo(scaled(0), 4);
    expect(scaledPressure(3)).toBeCloseTo(scaled(Math.log(4)), 4);
    expect(scaledPressure(-3)).toBeCloseTo(scaled(-Math.log(4)), 4);
    expect(scaledVelocity(1500)).toBe(-1);
    expect(scaledVelocity(3000)).toBe(0);
    expect(scaledVelocity(4500)).toBe(1);
  });

  it("has inputs and responses that fill [-1, 1] and go no more than 0.3% beyond", () => {
    for (let i = 0; i < 5; i++) {
      const { input, response } = sample(random(i));
      const sorted = input.slice().sort();
      const [least, greatest] = [sorted[0], sorted[sorted.length - 1]];
      expect(least).toBeGreaterThan(-1.003);
      expect(least).toBeLessThan(-0.9);
      expect(greatest).toBeLessThan(1.003);
      expect(greatest).toBeGreaterThan(0.9);
      expect(response.every((value) => Math.abs(value) <= 1)).toBe(true);
    }
    expect(scaledPressure(53.267)).toBeLessThan(1.003);
  });

  it("answers with the map of its layers, the same in every column", () => {
    const { response } = sample(random(3));
    const velocities = drawVelocityLayers(random(3));
    expect(response).toHaveLength(70 * 70);
    const expected = response.map((_, at) => scaledVelocity(velocities[Math.floor(at / 70)]));
    expect(sameBits(response, expected)).toBe(true);
  });

  it("keeps every stride-th time sample", () => {
    const { input: all } = sample(random(4));
    for (const stride of [2, 8]) {
      const { input } = flatVelocitySampler({ stride })(random(4));
      const [shots, times, receivers] = flatVelocityInputShape({ stride });
      expect([shots, times, receivers]).toEqual([5, 1000 / stride, 70]);
      const kept = all.filter((_, at) => (Math.floor(at / 70) % 1000) % stride === 0);
      expect(sameBits(input, kept)).toBe(true);
    }
    expect(() => flatVelocitySampler({ stride: 3 })).toThrow("stride 3");
  });

  it("makes a sample from its own stream alone, always the same", () => {
    const first = sample(random(5));
    expect(sameBits(sample(random(6)).input, first.input)).toBe(false);
    for (const again of [sample(random(5)), flatVelocitySampler()(random(5))]) {
      expect(sameBits(again.input, first.input)).toBe(true);
      expect(sameBits(again.response, first.response)).toBe(true);
    }
    const at = (shot: number, time: number, receiver: number) =>
      first.input[(shot * 1000 + time) * 70 + receiver];
    expect([
      at(0, 300, 0),
      at(2, 300, 34),
      at(4, 600, 9),
      first.response[0],
      first.response[4899],
    ]).toMatchInlineSnapshot(`
      [
        -0.08319175243377686,
        -0.08319175243377686,
        -0.13847918808460236,
        -0.7863916158676147,
        0.7244837880134583,
      ]
    `);
  });

  it("says where and when it listens", () => {
    const { source, time, receiver, depth, x } = flatVelocityCoordinates({ stride: 4 });
    expect([...source]).toEqual(SHOT_COLUMNS.map((column) => 10 * column));
    expect(time).toHaveLength(250);
    expect([...time.subarray(0, 2), time[249]]).toEqual([0.001, 0.005, 0.997]);
    expect([depth.length, x.length]).toEqual(FLAT_VELOCITY_RESPONSE_SHAPE);
    expect([receiver[0], receiver[69]]).toEqual([0, 690]);
  });
});
