import { OptionError } from "../errors.js";
import type { Stream } from "../random/stream.js";
import { acousticWaveSolver } from "./acoustic-wave.js";
import { scaledPressure, scaledVelocity } from "./seismic-scaling.js";
import { DEPTH_ROWS, drawVelocityLayers } from "./velocity-layers.js";

/** `stride`: every stride-th time sample of a gather is kept, beginning with the first; 1, 2, 4 or 8. */
export const FLAT_VELOCITY_DEFAULTS = { stride: 1 };

/** Columns of the five shots. All 70 columns have a receiver; shots and receivers are 10 m below the top. */
export const SHOT_COLUMNS: readonly number[] = [0, 17, 34, 52, 69];

const SPACING = 10; // m
const STEPS = 1000; // of 1 ms
const RECEIVERS = 70;
const LINE = { rows: DEPTH_ROWS, columns: RECEIVERS, spacing: SPACING, steps: STEPS, timeStep: 1e-3, row: 1 };
const STRIDES: readonly number[] = [1, 2, 4, 8];

type Parameters = Readonly<Record<string, number | string>>;

/** Shots, kept time samples, receivers. */
export function flatVelocityInputShape(parameters: Parameters): readonly number[] {
  return [SHOT_COLUMNS.length, STEPS / strideOf(parameters), RECEIVERS];
}

/** Depth, then x. */
export const FLAT_VELOCITY_RESPONSE_SHAPE: readonly number[] = [DEPTH_ROWS, RECEIVERS];

/** Places in m from the corner of the map, times in s. */
export function flatVelocityCoordinates(parameters: Parameters): Readonly<Record<string, Float64Array>> {
  const stride = strideOf(parameters);
  const columns = Float64Array.from({ length: RECEIVERS }, (_, column) => column * SPACING);
  return {
    source: Float64Array.from(SHOT_COLUMNS, (column) => column * SPACING),
    time: Float64Array.from({ length: STEPS / stride }, (_, k) => (k * stride + 1) / 1000),
    receiver: columns,
    depth: Float64Array.from({ length: DEPTH_ROWS }, (_, row) => row * SPACING),
    x: columns,
  };
}

/**
 * Seismic inversion in flat layers: the input is what the receivers hear of five shots, the response the map of
 * velocities, both scaled. Layers do not know where along them a shot is fired: one shot, heard at all distances up to
 * 690 m on its right and mirrored to its left, holds all five.
 */
export function flatVelocitySampler(
  parameters: Parameters = FLAT_VELOCITY_DEFAULTS,
): (random: Stream) => { readonly input: Float32Array; readonly response: Float32Array } {
  const stride = strideOf(parameters);
  const shoot = acousticWaveSolver({ ...LINE, mirror: true });
  return (random) => {
    const velocities = drawVelocityLayers(random);
    const heard = Float32Array.from(everyStride(shoot(velocities, 0), stride), scaledPressure);
    const response = new Float32Array(DEPTH_ROWS * RECEIVERS);
    velocities.forEach((velocity, row) => {
      response.fill(scaledVelocity(velocity), row * RECEIVERS, (row + 1) * RECEIVERS);
    });
    return { input: gathersOf(heard), response };
  };
}

/** The five gathers [5, times, 70] from what is heard at every distance from a shot [times, 70]. */
export function gathersOf(heard: Float32Array): Float32Array {
  const gathers = new Float32Array(SHOT_COLUMNS.length * heard.length);
  SHOT_COLUMNS.forEach((shot, s) => {
    for (let first = 0; first < heard.length; first += RECEIVERS) {
      const at = s * heard.length + first;
      for (let receiver = 0; receiver < RECEIVERS; receiver++) {
        gathers[at + receiver] = heard[first + Math.abs(receiver - shot)];
      }
    }
  });
  return gathers;
}

/**
 * The pressure [5, 1000, 70] of five shots fired one after another, the sponge beginning at the edges of the map for
 * each: five times the work of the sampler, and what its gathers are compared with.
 */
export function directGathers(): (velocities: Float64Array) => Float64Array {
  const shoot = acousticWaveSolver(LINE);
  return (velocities) => {
    const gathers = new Float64Array(SHOT_COLUMNS.length * STEPS * RECEIVERS);
    SHOT_COLUMNS.forEach((shot, s) => {
      gathers.set(shoot(velocities, shot), s * STEPS * RECEIVERS);
    });
    return gathers;
  };
}

function everyStride(traces: Float64Array, stride: number): Float64Array {
  const kept = new Float64Array(traces.length / stride);
  for (let at = 0; at < kept.length; at += RECEIVERS) {
    kept.set(traces.subarray(at * stride, at * stride + RECEIVERS), at);
  }
  return kept;
}

function strideOf({ stride }: Parameters): number {
  const known = STRIDES.find((each) => each === stride);
  if (known === undefined) throw new OptionError(`stride ${stride} is not one of ${STRIDES.join(", ")}`);
  return known;
}
