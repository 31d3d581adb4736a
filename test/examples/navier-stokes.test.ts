import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { openNpz } from "../../src/files/npz.js";
import { stream } from "../../src/random/stream.js";
import { readSpecification } from "../../src/studies/read-specification.js";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLE = join(ROOT, "examples/navier-stokes");

interface Solver {
  solve(start: ArrayLike<number>, time: number): Float64Array;
}
interface Example {
  vorticitySolver(options: {
    grid: number;
    viscosity: number;
    step: number;
    force?: (x: number, y: number) => number;
  }): Solver;
  randomVorticity(
    random: { uniform(): number },
    options: { grid: number; modes?: number },
  ): Float64Array<ArrayBuffer>;
}

const { vorticitySolver, randomVorticity } = (await import(join(EXAMPLE, "vorticity.mjs"))) as Example;

const onGrid = (grid: number, f: (x: number, y: number) => number) =>
  Float64Array.from({ length: grid * grid }, (_, p) => f(Math.floor(p / grid) / grid, (p % grid) / grid));
const norm = (values: ArrayLike<number>) => Math.hypot(...Array.from(values));
const distance = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  norm(Array.from(a, (value, i) => value - b[i])) / norm(b);
const { cos, sin, PI } = Math;

describe("the Navier-Stokes solver", () => {
  it("meets the decay of Taylor and Green's vortices", () => {
    const start = onGrid(16, (x, y) => 2 * cos(2 * PI * x) * cos(4 * PI * y));
    const solver = vorticitySolver({ grid: 16, viscosity: 0.01, step: 0.05, force: () => 0 });
    const exact = start.map((value) => value * Math.exp(-0.01 * 20 * PI ** 2));
    expect(distance(solver.solve(start, 1), exact)).toBeLessThan(1e-13);
  });

  it("keeps a steady flow that a force holds against advection and viscosity", () => {
    const viscosity = 0.05;
    const [X, Y] = [2 * PI, 4 * PI];
    // psi = sin(Xx) / X^2 + cos(Yy) / Y^2, so that w = sin(Xx) + cos(Yy), u = -sin(Yy) / Y and v = -cos(Xx) / X.
    const w = (x: number, y: number) => sin(X * x) + cos(Y * y);
    const force = (x: number, y: number) =>
      (-sin(Y * y) / Y) * X * cos(X * x) +
      (-cos(X * x) / X) * -Y * sin(Y * y) +
      viscosity * (X * X * sin(X * x) + Y * Y * cos(Y * y));
    const start = onGrid(16, w);
    const solver = vorticitySolver({ grid: 16, viscosity, step: 0.01, force });
    expect(distance(solver.solve(start, 0.5), start)).toBeLessThan(1e-7);
  });

  it("converges with order 4 in the step, and is converged on its grid", () => {
    const at = (grid: number, step: number) => {
      const start = randomVorticity(stream(3, "test"), { grid, modes: 6 });
      return vorticitySolver({ grid, viscosity: 0.01, step }).solve(start, 1);
    };
    const exact = at(32, 1 / 128);
    const [coarse, fine] = [1 / 8, 1 / 16].map((step) => distance(at(32, step), exact));
    expect(Math.log2(coarse / fine)).toBeGreaterThan(3.7);
    expect(Math.log2(coarse / fine)).toBeLessThan(4.3);
    const doubled = at(64, 1 / 128);
    const subset = exact.map((_, p) => doubled[2 * Math.floor(p / 32) * 64 + 2 * (p % 32)]);
    expect(distance(exact, subset)).toBeLessThan(1e-5);
  });

  it("says that the step is too long instead of writing numbers that are not finite", () => {
    const start = onGrid(16, (x, y) => 1e4 * (sin(2 * PI * x) + cos(4 * PI * y)));
    const solver = vorticitySolver({ grid: 16, viscosity: 0, step: 1 });
    expect(() => solver.solve(start, 20)).toThrow("the step 1 is too long");
  });
});

describe("the random vorticity", () => {
  it("has mean 0 and the variance of its covariance", () => {
    const [grid, modes, samples] = [16, 6, 400];
    let variance = 0;
    for (let i = 1 - modes; i < modes; i++)
      for (let j = 1 - modes; j < modes; j++)
        if (i !== 0 || j !== 0) variance += 2 * 7 ** 3 * (4 * PI ** 2 * (i * i + j * j) + 49) ** -2.5;
    let sum = 0;
    for (let s = 0; s < samples; s++) {
      const field = randomVorticity(stream(0, "test", s), { grid });
      expect(Math.abs(field.reduce((a, b) => a + b, 0))).toBeLessThan(1e-10);
      sum += norm(field) ** 2 / grid ** 2 / samples;
    }
    expect(sum / variance).toBeGreaterThan(0.9);
    expect(sum / variance).toBeLessThan(1.1);
  });

  it("is the same function on a finer grid", () => {
    const [coarse, fine] = [16, 32].map((grid) => randomVorticity(stream(1, "test"), { grid, modes: 6 }));
    expect(
      distance(
        coarse,
        coarse.map((_, p) => fine[2 * Math.floor(p / 16) * 32 + 2 * (p % 16)]),
      ),
    ).toBeLessThan(1e-13);
  });
});

describe("the example's command", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "navier-stokes-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const solve = (...args: string[]) => [join(EXAMPLE, "solve.mjs"), ...args];

  it("writes the same samples with any number of threads, and more samples begin with fewer", async () => {
    const tiny = ["--grid", "16", "--time", "0.5", "--seed", "7"];
    for (const [samples, threads] of ["31", "52"])
      execFileSync(
        process.execPath,
        solve("--samples", samples, "--threads", threads, "--out", join(folder, `${samples}.npz`), ...tiny),
        { cwd: ROOT, stdio: "pipe" },
      );
    const [three, five] = await Promise.all(
      ["3", "5"].map(async (samples) =>
        openNpz(bytesInMemory(readFileSync(join(folder, `${samples}.npz`)), "ns.npz")),
      ),
    );
    expect([...three.names].sort()).toEqual(["a", "u", "x", "y"]);
    for (const name of ["a", "u"]) {
      const [some, all] = [await three.array(name), await five.array(name)];
      expect(all.shape).toEqual([5, 16, 16]);
      const values = await all.read(0, 3);
      expect(await some.read(0, 3)).toEqual(values);
      expect(norm(values as Float32Array)).toBeGreaterThan(0);
    }
  });

  it.each([
    [["--samples", "0", "--out", "x.npz"], '--samples is a positive whole number, not "0"'],
    [["--samples", "3"], "name the file to write: --out ns.npz"],
    [["--samples", "2", "--time", "0.52", "--grid", "16", "--out", "x.npz"], "is not a multiple of the step"],
    [["--samples", "2", "--grid", "20", "--out", "x.npz"], "a transform needs a power of two, not 20"],
  ])("refuses %s in one line and writes nothing", (args, message) => {
    const out = join(folder, "refused.npz");
    const { status, stderr } = spawnSync(
      process.execPath,
      solve(...args.map((word) => (word === "x.npz" ? out : word))),
      { cwd: ROOT, encoding: "utf8" },
    );
    expect(status).toBe(1);
    expect(stderr.trim()).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(existsSync(out)).toBe(false);
  });

  it("comes with a study that reads what it writes", () => {
    const text = readFileSync(join(EXAMPLE, "study.yaml"), "utf8");
    const { tasks } = readSpecification(text, join(EXAMPLE, "study.yaml"));
    expect(tasks).toMatchObject([{ inputs: "a", responses: "u" }]);
  });
});
