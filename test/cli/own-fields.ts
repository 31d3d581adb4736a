import { stream } from "../../src/random/stream.js";

/** Samples of an equation that the program does not have: inputs and responses, one sample after another. */
export interface OwnSamples {
  readonly inputs: Float64Array;
  readonly responses: Float64Array;
}

const TURN = 2 * Math.PI;

/** A few random waves on a periodic cube of so many dimensions: amplitudes, whole wave numbers and phases. */
function waves(seed: number, sample: number, dimensions: number, count = 6) {
  const random = stream(seed, "waves", sample);
  return Array.from({ length: count }, () => ({
    amplitude: random.uniform() - 0.5,
    number: Array.from({ length: dimensions }, () => random.below(5) - 2),
    phase: TURN * random.uniform(),
  }));
}

function made(
  samples: number,
  input: (i: number) => Float64Array,
  response: (i: number) => Float64Array,
): OwnSamples {
  const all = (field: (i: number) => Float64Array) =>
    Float64Array.from(Array.from({ length: samples }, (_, i) => [...field(i)]).flat());
  return { inputs: all(input), responses: all(response) };
}

/** u_t + c u_x = 0 on a circle: u(x, 0) to u(x, T) = u(x - c T, 0), exactly. */
export function advection(samples: number, points: number, seed = 1): OwnSamples {
  const at = (sample: number, shift: number) =>
    Float64Array.from({ length: points }, (_, j) =>
      waves(seed, sample, 1).reduce(
        (sum, { amplitude, number, phase }) =>
          sum + amplitude * Math.cos(TURN * number[0] * (j / points - shift) + phase),
        0,
      ),
    );
  return made(
    samples,
    (i) => at(i, 0),
    (i) => at(i, 0.3),
  );
}

/** u_t = nu (u_xx + u_yy + u_zz) on a periodic cube: each wave decays by exp(-nu |k|^2 T), exactly. */
export function heat(samples: number, side: number, seed = 2): OwnSamples {
  const at = (sample: number, time: number) => {
    const own = waves(seed, sample, 3);
    return Float64Array.from({ length: side ** 3 }, (_, point) => {
      const place = [Math.floor(point / side ** 2), Math.floor(point / side) % side, point % side];
      return own.reduce((sum, { amplitude, number, phase }) => {
        const turns = number.reduce((dot, k, axis) => dot + (k * place[axis]) / side, 0);
        const square = number.reduce((total, k) => total + k * k, 0);
        return sum + amplitude * Math.exp(-0.1 * square * time) * Math.cos(TURN * turns + phase);
      }, 0);
    });
  };
  return made(
    samples,
    (i) => at(i, 0),
    (i) => at(i, 1),
  );
}

/** The antiderivative of random waves at scattered points: sensors in, values at a list of points in the plane out. */
export function scattered(samples: number, sensors: number, points: Float64Array, seed = 3): OwnSamples {
  return made(
    samples,
    (i) =>
      Float64Array.from({ length: sensors }, (_, j) =>
        waves(seed, i, 1).reduce(
          (sum, { amplitude, number, phase }) =>
            sum + amplitude * Math.cos((TURN * number[0] * j) / sensors + phase),
          0,
        ),
      ),
    (i) =>
      Float64Array.from({ length: points.length / 2 }, (_, p) =>
        waves(seed, i, 1).reduce(
          (sum, { amplitude, number, phase }) =>
            sum +
            amplitude * Math.exp(-points[2 * p + 1]) * Math.cos(TURN * number[0] * points[2 * p] + phase),
          0,
        ),
      ),
  );
}

/**
 * Vorticity of the two-dimensional Navier-Stokes equations on a periodic square, w_t + u . grad w = nu lap w, from t = 0
 * to T: a Fourier method with explicit steps of second order (Heun), small enough for a test.
 */
export function navierStokes(samples: number, side: number, seed = 4): OwnSamples {
  const viscosity = 0.01;
  const step = 0.02;
  const { forward, backward, numbers } = dft(side);
  const rate = (real: Float64Array, imaginary: Float64Array) => {
    const field = (factor: (kx: number, ky: number) => readonly [number, number]) => {
      const [a, b] = [new Float64Array(side * side), new Float64Array(side * side)];
      for (let at = 0; at < a.length; at++) {
        const [re, im] = factor(numbers[Math.floor(at / side)], numbers[at % side]);
        a[at] = re * real[at] - im * imaginary[at];
        b[at] = re * imaginary[at] + im * real[at];
      }
      return backward(a, b);
    };
    const over = (kx: number, ky: number) => 1 / Math.max(1, kx * kx + ky * ky);
    const [u, v] = [field((kx, ky) => [0, ky * over(kx, ky)]), field((kx, ky) => [0, -kx * over(kx, ky)])];
    const [wx, wy] = [field((kx) => [0, kx]), field((_, ky) => [0, ky])];
    const [a, b] = forward(u.map((value, i) => -(value * wx[i] + v[i] * wy[i])));
    for (let at = 0; at < a.length; at++) {
      const [kx, ky] = [numbers[Math.floor(at / side)], numbers[at % side]];
      const kept = Math.max(Math.abs(kx), Math.abs(ky)) <= side / 3 ? 1 : 0; // against aliasing
      a[at] = kept * a[at] - viscosity * (kx * kx + ky * ky) * real[at];
      b[at] = kept * b[at] - viscosity * (kx * kx + ky * ky) * imaginary[at];
    }
    return [a, b] as const;
  };
  const moved = (x: Float64Array, dx: Float64Array, h: number) => x.map((value, i) => value + h * dx[i]);
  const start = (sample: number) =>
    Float64Array.from({ length: side * side }, (_, at) =>
      waves(seed, sample, 2).reduce((sum, { amplitude, number: [kx, ky], phase }) => {
        const turns = (kx * Math.floor(at / side) + ky * (at % side)) / side;
        return sum + 4 * amplitude * Math.cos(TURN * turns + phase);
      }, 0),
    );
  const end = (sample: number) => {
    let [a, b] = forward(start(sample));
    for (let time = 0; time < 1; time += step) {
      const [da, db] = rate(a, b);
      const [ea, eb] = rate(moved(a, da, step), moved(b, db, step));
      const mean = (x: Float64Array, y: Float64Array) => x.map((value, i) => (value + y[i]) / 2);
      [a, b] = [moved(a, mean(da, ea), step), moved(b, mean(db, eb), step)];
    }
    return backward(a, b);
  };
  return made(samples, start, end);
}

/** Fourier transforms of real fields on a square, by sums. */
function dft(side: number) {
  const numbers = Array.from({ length: side }, (_, k) => (k <= side / 2 ? k : k - side));
  const [cosine, sine] = [Math.cos, Math.sin].map((f) =>
    Float64Array.from({ length: side * side }, (_, at) =>
      f((TURN * Math.floor(at / side) * (at % side)) / side),
    ),
  );
  /** Along columns, then transposed: twice is both axes. */
  const pass = (re: Float64Array, im: Float64Array, sign: number) => {
    const [a, b] = [new Float64Array(side * side), new Float64Array(side * side)];
    for (let row = 0; row < side; row++)
      for (let k = 0; k < side; k++)
        for (let j = 0; j < side; j++) {
          const [c, s] = [cosine[k * side + j], sign * sine[k * side + j]];
          a[k * side + row] += c * re[row * side + j] - s * im[row * side + j];
          b[k * side + row] += s * re[row * side + j] + c * im[row * side + j];
        }
    return [a, b] as const;
  };
  const both = (re: Float64Array, im: Float64Array, sign: number) => pass(...pass(re, im, sign), sign);
  return {
    numbers,
    forward: (field: Float64Array) => both(field, new Float64Array(field.length), -1),
    backward: (re: Float64Array, im: Float64Array) => both(re, im, 1)[0].map((value) => value / side ** 2),
  };
}
