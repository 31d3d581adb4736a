import { describe, expect, it } from "vitest";
import { type Link, lattice, opposite, VELOCITIES, WEIGHTS } from "../../src/equations/lattice-boltzmann.js";
import { stream } from "../../src/random/stream.js";

/** What leaves on one side enters on the other; from left to right with a rise of density by `jump`. */
function around(width: number, height: number, { vertical = true, jump = 0 } = {}): Link[] {
  const links: Link[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      VELOCITIES.forEach(([cx, cy], direction) => {
        const [toX, toY] = [x - cx, y - cy]; // the ghost out of which (x, y) takes
        const beside = toX < 0 || toX >= width;
        if (toY < 0 || toY >= height) {
          if (!vertical) {
            links.push({
              to: { x: toX, y: toY, direction },
              from: { x, y, direction: opposite(direction) },
            });
            return;
          }
        } else if (!beside) return;
        links.push({
          to: { x: toX, y: toY, direction },
          from: { x: (toX + width) % width, y: (toY + height) % height, direction },
          source: beside ? WEIGHTS[direction] * jump * cx : 0,
        });
      });
    }
  }
  return links;
}

function mass(flow: ReturnType<typeof lattice>): number {
  let sum = 0;
  for (let y = 0; y < flow.height; y++) for (let x = 0; x < flow.width; x++) sum += flow.moments(x, y)[0];
  return sum;
}

describe("the lattice Boltzmann method", () => {
  it("has the parabola of Poiseuille flow with walls exactly half a cell beyond the nodes", () => {
    const [width, height, viscosity, jump] = [4, 9, 1 / 6, 0.004];
    const flow = lattice({ width, height, links: around(width, height, { vertical: false, jump }) });
    flow.start(() => [0, 0, 0]);
    for (let step = 0; step < 6000; step++) flow.step(viscosity);
    const slope = jump / 3 / width;
    for (let y = 0; y < height; y++) {
      const exact = (slope / (2 * viscosity)) * (y + 0.5) * (height - y - 0.5);
      for (let x = 0; x < width; x++) expect(flow.moments(x, y)[1] / exact).toBeCloseTo(1, 4);
    }
  });

  it("has Taylor-Green vortices decay at their rate, with errors of second order", () => {
    const viscosity = 0.02;
    const errors = [16, 32, 64].map((size) => {
      const k = (2 * Math.PI) / size;
      const speed = 0.64 / size;
      const exact = (x: number, y: number, amplitude: number) => {
        const [a, b] = [k * (x + 0.5), k * (y + 0.5)];
        const density = (-3 / 4) * amplitude * amplitude * (Math.cos(2 * a) + Math.cos(2 * b));
        return [
          density,
          -amplitude * Math.cos(a) * Math.sin(b),
          amplitude * Math.sin(a) * Math.cos(b),
        ] as const;
      };
      const flow = lattice({ width: size, height: size, links: around(size, size) });
      flow.start((x, y) => exact(x, y, speed));
      const steps = size * size;
      for (let step = 0; step < steps; step++) flow.step(viscosity);
      const left = speed * Math.exp(-2 * viscosity * k * k * steps);
      let worst = 0;
      for (let y = 0; y < size; y++) {
        for (let x = 0; x < size; x++) {
          const [, u, v] = exact(x, y, left);
          const [, computedU, computedV] = flow.moments(x, y);
          worst = Math.max(worst, Math.hypot(computedU - u, computedV - v) / left);
        }
      }
      return worst;
    });
    expect(errors[2]).toBeLessThan(3e-3);
    expect(Math.log2(errors[0] / errors[1])).toBeGreaterThan(1.8);
    expect(Math.log2(errors[1] / errors[2])).toBeGreaterThan(1.8);
  });

  it("takes the step that its formulas say, to the last digits of float32", () => {
    const [width, height, viscosity] = [7, 5, 0.01];
    const random = stream(7, "populations");
    const flow = lattice({ width, height, links: around(width, height) });
    flow.start(() => [
      0.02 * (random.uniform() - 0.5),
      0.2 * (random.uniform() - 0.5),
      0.2 * (random.uniform() - 0.5),
    ]);
    const directions = VELOCITIES.map((_, direction) => direction);
    for (let step = 0; step < 4; step++) {
      const before = (x: number, y: number, direction: number) =>
        flow.population({ x: (x + width) % width, y: (y + height) % height, direction });
      const expected: number[] = [];
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const f = directions.map((i) => before(x - VELOCITIES[i][0], y - VELOCITIES[i][1], i));
          expected.push(...relaxed(f, viscosity));
        }
      }
      flow.step(viscosity);
      for (let y = 0, at = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          for (const direction of directions) {
            expect(Math.abs(flow.population({ x, y, direction }) - expected[at++])).toBeLessThan(1e-8);
          }
        }
      }
    }
  });

  it("keeps its mass between walls and around", () => {
    const [width, height] = [12, 10];
    const flow = lattice({ width, height, links: around(width, height, { vertical: false }) });
    const random = stream(1, "mass");
    flow.start(() => [0.01 * random.uniform(), 0.1 * random.uniform(), 0.1 * random.uniform()]);
    const before = mass(flow);
    for (let step = 0; step < 1000; step++) flow.step(0.01);
    expect(mass(flow) / before).toBeCloseTo(1, 4);
  });

  it("lets a plane wave of sound out", () => {
    const [width, height] = [100, 3];
    const links = around(width, height)
      .filter(({ to }) => to.x < width)
      .map(({ to, from }): Link => {
        if (to.x >= 0) return { to, from };
        const direction = opposite(to.direction); // the left end is a wall
        return { to, from: { x: 0, y: to.y - VELOCITIES[direction][1], direction } };
      });
    const flow = lattice({ width, height, links, outflow: 0 });
    const energy = () => {
      let sum = 0;
      for (let x = 0; x < width; x++) sum += flow.moments(x, 1)[0] ** 2 / 3 + flow.moments(x, 1)[1] ** 2;
      return sum;
    };
    flow.start((x) => [0.001 * Math.exp(-(((x - 50) / 8) ** 2)), 0, 0]);
    const before = energy();
    for (let step = 0; step < 400; step++) flow.step(0.01);
    expect(energy() / before).toBeLessThan(1e-3);
  });
});

/** Relaxation of one node, in float64 and in the words of the papers. */
function relaxed(f: readonly number[], viscosity: number): number[] {
  const even = 1 / (3 * viscosity + 0.5);
  const odd = 1 / Math.min(3 / 16 / (3 * viscosity) + 0.5, 1);
  const sum = (weigh: (cx: number, cy: number) => number) =>
    f.reduce((total, value, i) => total + value * weigh(...(VELOCITIES[i] as [number, number])), 0);
  const density = sum(() => 1);
  const u = sum((cx) => cx);
  const v = sum((_, cy) => cy);
  const xx = sum((cx) => cx * cx) - density / 3 - u * u;
  const yy = sum((_, cy) => cy * cy) - density / 3 - v * v;
  const xy = sum((cx, cy) => cx * cy) - u * v;
  return f.map((value, i) => {
    const [cx, cy] = VELOCITIES[i];
    const along = cx * u + cy * v;
    const balance = WEIGHTS[i] * (density + 4.5 * along * along - 1.5 * (u * u + v * v));
    const stress = (cx * cx - 1 / 3) * xx + (cy * cy - 1 / 3) * yy + 2 * cx * cy * xy;
    const difference = i === 0 ? 0 : (value - f[opposite(i)]) / 2;
    const towards = difference - odd * (difference - 3 * WEIGHTS[i] * along);
    return balance + (1 - even) * 4.5 * WEIGHTS[i] * stress + towards;
  });
}
