import type { Stream } from "../random/stream.js";

/** Rows of a velocity map, 10 m each. */
export const DEPTH_ROWS = 70;

/** Slowest and fastest rock in m/s. */
export const VELOCITY_RANGE: readonly [slowest: number, fastest: number] = [1500, 4500];

/** From 2 to 5 layers, none thinner than this many rows: 60 m, over half a wavelength of the source in the slowest rock. */
export const THINNEST_LAYER = 6;
const FEWEST_LAYERS = 2;
const MOST_LAYERS = 5;

/**
 * The speed in m/s of every row of a random map of flat layers, faster from layer to layer downwards: the number of
 * layers, their speeds within the range and the places of the interfaces are uniform.
 */
export function drawVelocityLayers(random: Stream): Float64Array {
  const layers = FEWEST_LAYERS + random.below(MOST_LAYERS - FEWEST_LAYERS + 1);
  const [slowest, fastest] = VELOCITY_RANGE;
  const speeds = Float64Array.from({ length: layers }, () => {
    return slowest + (fastest - slowest) * random.uniform();
  }).sort();
  // Interfaces are drawn among the rows that the thinnest layers leave over, then moved apart by these.
  const spare = DEPTH_ROWS - layers * THINNEST_LAYER;
  const interfaces = Int32Array.from({ length: layers - 1 }, () => random.below(spare + 1))
    .sort()
    .map((row, i) => row + (i + 1) * THINNEST_LAYER);
  const velocities = new Float64Array(DEPTH_ROWS);
  speeds.forEach((speed, i) => {
    velocities.fill(speed, i === 0 ? 0 : interfaces[i - 1], i === layers - 1 ? DEPTH_ROWS : interfaces[i]);
  });
  return velocities;
}
