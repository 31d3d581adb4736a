import { type Lattice, type Link, lattice, opposite, VELOCITIES, WEIGHTS } from "./lattice-boltzmann.js";

/** In cells, measured from the lower left corner of the channel; walls are half a cell beyond the outermost nodes. */
export interface Circle {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

export interface ChannelOptions {
  readonly width: number;
  readonly height: number;
  readonly circle: Circle;
  /** Velocity into the channel at height y (in cells) at drive 1. */
  readonly inlet: (y: number) => number;
}

export interface Channel {
  readonly lattice: Lattice;
  /** Is the centre of cell (x, y) inside the circle? */
  readonly solid: (x: number, y: number) => boolean;
  /** What the fluid does to the circle, per unit of depth, at the present step. */
  force(): readonly [drag: number, lift: number];
}

/**
 * A channel with a circle across: velocity given on the left, pressure zero on the right, no slip on the circle and
 * at the walls. Half-way bounce-back at the straight boundaries; on the circle the linear interpolation of Bouzidi,
 * Firdaouss and Lallemand (Phys. Fluids 13, 2001), which knows where a link is cut and is of second order.
 */
export function channel({ width, height, circle, inlet }: ChannelOptions): Channel {
  const solid = (x: number, y: number) =>
    square(x + 0.5 - circle.x) + square(y + 0.5 - circle.y) < square(circle.radius);
  const straight: Link[] = [];
  const round: Link[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (solid(x, y)) continue;
      for (let direction = 1; direction < 9; direction++) {
        const [nextX, nextY] = [x + VELOCITIES[direction][0], y + VELOCITIES[direction][1]];
        if (nextX < 0) {
          const speed = inlet(y + 0.5 + VELOCITIES[direction][1] / 2);
          straight.push({ ...reflected(x, y, direction), source: 6 * WEIGHTS[direction] * speed });
        } else if (nextY < 0 || nextY >= height) {
          straight.push(reflected(x, y, direction));
        } else if (nextX < width && solid(nextX, nextY)) {
          round.push(cut(x, y, direction, distanceTo(circle, x, y, direction)));
        }
      }
    }
  }
  const outflow = straight.reduce((sum, { source = 0 }) => sum + source, 0) / height;
  const flow = lattice({ width, height, links: [...straight, ...round], solid, outflow });
  return { lattice: flow, solid, force: () => momentumExchange(flow, round) };
}

/** Back from where it went, half-way bounce-back. */
function reflected(x: number, y: number, direction: number): Link {
  const [cx, cy] = VELOCITIES[direction];
  return {
    to: { x: x + cx, y: y + cy, direction: opposite(direction) },
    from: { x, y, direction },
  };
}

/** A link that is cut at this part of its length. */
function cut(x: number, y: number, direction: number, distance: number): Link {
  const [cx, cy] = VELOCITIES[direction];
  const link = reflected(x, y, direction);
  return distance < 0.5
    ? { ...link, other: { x: x - cx, y: y - cy, direction }, share: 2 * distance }
    : { ...link, other: { x, y, direction: opposite(direction) }, share: 1 / (2 * distance) };
}

/** Where the link from (x, y), which is outside, enters the circle: the smaller root of a quadratic equation. */
function distanceTo(circle: Circle, x: number, y: number, direction: number): number {
  const [cx, cy] = VELOCITIES[direction];
  const [dx, dy] = [x + 0.5 - circle.x, y + 0.5 - circle.y];
  const a = cx * cx + cy * cy;
  const b = dx * cx + dy * cy; // negative: the link goes towards the centre
  const c = dx * dx + dy * dy - square(circle.radius);
  return c / (Math.sqrt(b * b - a * c) - b);
}

/**
 * Every link hands over what goes in and what comes back, times its velocity: Ladd (J. Fluid Mech. 271, 1994). The
 * populations of rest, which are left out here, cancel around a closed body.
 */
function momentumExchange(flow: Lattice, links: readonly Link[]): readonly [number, number] {
  let drag = 0;
  let lift = 0;
  for (const { from, other = from, share = 1 } of links) {
    const there = flow.population(from);
    const back = share * there + (1 - share) * flow.population(other);
    drag += VELOCITIES[from.direction][0] * (there + back);
    lift += VELOCITIES[from.direction][1] * (there + back);
  }
  return [drag, lift];
}

function square(x: number): number {
  return x * x;
}
