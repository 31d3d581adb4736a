import { kernelsIn } from "../numerics/kernels/load-kernels.js";

/** The velocities of D2Q9: rest, then pairs of opposites. */
export const VELOCITIES: readonly (readonly [x: number, y: number])[] = [
  [0, 0],
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
  [1, 1],
  [-1, -1],
  [1, -1],
  [-1, 1],
];
export const WEIGHTS = VELOCITIES.map(([x, y]) => [4 / 9, 1 / 9, 1 / 36][x * x + y * y]);

/** The direction against `direction`, which is not rest. */
export function opposite(direction: number): number {
  return ((direction - 1) ^ 1) + 1;
}

/** (tau_even - 1/2)(tau_odd - 1/2): with 3/16 a wall half-way between nodes is exactly there in Poiseuille flow. */
const MAGIC = 3 / 16;
/** The longest tau_odd, from viscosity 1/8 down: 3/16 at tau_even = 0.51 would leave odd moments undamped. */
const LONGEST_ODD = 1;

/** A population: its node, which may be a ghost one cell outside, and its direction. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly direction: number;
}

/**
 * What moves in through a boundary: before every step, `to` becomes share `from` + (1 - share) `other` + drive
 * `source`. Without `other` it is `from` + drive `source`.
 */
export interface Link {
  readonly to: Place;
  readonly from: Place;
  readonly other?: Place;
  readonly share?: number;
  readonly source?: number;
}

export interface LatticeOptions {
  readonly width: number;
  readonly height: number;
  readonly links: readonly Link[];
  /** Nodes that are kept at rest: inside of an obstacle, where links surround it. */
  readonly solid?: (x: number, y: number) => boolean;
  /** Pressure zero at the right end, with this mean velocity at drive 1. Without it links close that side too. */
  readonly outflow?: number;
}

/** All in units of the lattice: cells, steps, and a density of 1. Node (x, y) is the centre of a cell. */
export interface Lattice {
  readonly width: number;
  readonly height: number;
  /** Flow of these velocities and deviations of density (3 times the pressure) from 1, in local equilibrium. */
  start(state: (x: number, y: number) => readonly [density: number, u: number, v: number]): void;
  step(viscosity: number, drive?: number): void;
  /** A population's deviation from its value at rest. */
  population(place: Place): number;
  /** Density as a deviation from 1, and velocity. */
  moments(x: number, y: number): [density: number, u: number, v: number];
}

interface LatticeKernels {
  relax(from: number, to: number, source: number, target: number, ...rest: number[]): void;
  link(from: number, to: number, links: number, lattice: number, drive: number): void;
  still(from: number, to: number, spans: number, lattice: number, plane: number): void;
  outlet(lattice: number, plane: number, stride: number, width: number, height: number, mean: number): void;
}

const FIRST = 64; // bytes of the memory that stay free
const MARGIN = 4; // floats before the first node of a row, as the kernels have it

/**
 * Incompressible flow by the lattice Boltzmann method: D2Q9, two relaxation times, regularised. Of second order in
 * space when the time step shrinks like the square of the cell; otherwise an error of compressibility stays, of the
 * order of the squared Mach number, 3 u^2. Where cells have a Reynolds number u / viscosity of 20, it is stable yet.
 *
 * Runs in float32, on deviations from rest: of a population near 1/9, rounding would eat the velocity.
 */
export function lattice(options: LatticeOptions): Lattice {
  const { width, height, links, solid = () => false, outflow } = options;
  const stride = 4 * (2 * MARGIN + 4 * Math.ceil(width / 4));
  const plane = stride * (height + 2);
  const address = ({ x, y, direction }: Place) => direction * plane + (y + 1) * stride + 4 * (x + MARGIN);

  const spans = solidSpans(width, height, solid).map(([x, y, length]) => [
    address({ x, y, direction: 0 }),
    4 * length,
  ]);
  let source = FIRST;
  let target = source + 9 * plane;
  const linksAt = target + 9 * plane;
  const spansAt = linksAt + 20 * links.length;
  const bytes = spansAt + 8 * spans.length;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) });
  const kernels = kernelsIn(memory) as unknown as LatticeKernels;
  const view = new DataView(memory.buffer);

  links.forEach(({ to, from, other = from, share = 1, source = 0 }, i) => {
    const at = linksAt + 20 * i;
    view.setUint32(at, address(to), true);
    view.setUint32(at + 4, address(from), true);
    view.setUint32(at + 8, address(other), true);
    view.setFloat32(at + 12, share, true);
    view.setFloat32(at + 16, source, true);
  });
  spans.forEach(([at, length], i) => {
    view.setUint32(spansAt + 8 * i, at, true);
    view.setUint32(spansAt + 8 * i + 4, length, true);
  });

  const population = (place: Place) => view.getFloat32(source + address(place), true);

  return {
    width,
    height,
    start(state) {
      new Uint8Array(memory.buffer, FIRST, 18 * plane).fill(0);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          if (solid(x, y)) continue;
          const moments = state(x, y);
          for (let direction = 0; direction < 9; direction++) {
            view.setFloat32(source + address({ x, y, direction }), equilibrium(direction, ...moments), true);
          }
        }
      }
    },
    step(viscosity, drive = 1) {
      const even = 3 * viscosity + 0.5; // relaxation times
      const odd = Math.min(MAGIC / (3 * viscosity) + 0.5, LONGEST_ODD);
      kernels.link(0, links.length, linksAt, source, drive);
      if (outflow !== undefined) kernels.outlet(source, plane, stride, width, height, drive * outflow);
      kernels.relax(0, height, source, target, plane, stride, width, 1 / even, 1 / odd);
      kernels.still(0, spans.length, spansAt, target, plane);
      [source, target] = [target, source];
    },
    population,
    moments(x, y) {
      const sums: [number, number, number] = [0, 0, 0];
      for (let direction = 0; direction < 9; direction++) {
        const f = population({ x, y, direction });
        sums[0] += f;
        sums[1] += f * VELOCITIES[direction][0];
        sums[2] += f * VELOCITIES[direction][1];
      }
      return sums;
    },
  };
}

function equilibrium(direction: number, density: number, u: number, v: number): number {
  const along = VELOCITIES[direction][0] * u + VELOCITIES[direction][1] * v;
  return WEIGHTS[direction] * (density + 3 * along + 4.5 * along * along - 1.5 * (u * u + v * v));
}

/** Runs of solid nodes: first x, y, length. */
function solidSpans(width: number, height: number, solid: (x: number, y: number) => boolean) {
  const spans: [x: number, y: number, length: number][] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!solid(x, y)) continue;
      if (x > 0 && solid(x - 1, y)) spans[spans.length - 1][2]++;
      else spans.push([x, y, 1]);
    }
  }
  return spans;
}
