import { squareFft } from "./fft2.mjs";

/** The forcing of Li et al. (2021), section 5.3. */
export const forcing = (x, y) => 0.1 * (Math.sin(2 * Math.PI * (x + y)) + Math.cos(2 * Math.PI * (x + y)));

/**
 * Two-dimensional incompressible Navier-Stokes in vorticity form on the unit torus:
 *
 *   w_t + u . grad w = viscosity Laplace(w) + f,  u = (psi_y, -psi_x),  -Laplace(psi) = w.
 *
 * Pseudo-spectral with the 2/3 rule: modes of |k| < grid / 3 along each axis, so that products have no aliasing. In time the
 * classical Runge-Kutta method of order 4 with an integrating factor, which is exact for viscosity. The state is the full
 * spectrum of w, in the layout of `squareFft`.
 */
export function vorticitySolver({ grid, viscosity, step, force = forcing }) {
  const size = grid * grid;
  const fft = squareFft(grid);
  const modes = modesOf(grid);
  const wave = Array.from({ length: grid }, (_, i) => (i <= grid / 2 ? i : i - grid));
  const pair = () => ({ re: new Float64Array(size), im: new Float64Array(size) });

  /** The modes that are kept, as positions in the spectrum, and the position of -k. */
  const kept = [];
  for (let j = 0; j < grid; j++)
    for (let i = 0; i < grid; i++)
      if (Math.abs(wave[i]) < modes && Math.abs(wave[j]) < modes)
        kept.push({ at: j * grid + i, opposite: ((grid - j) % grid) * grid + ((grid - i) % grid) });
  const at = Int32Array.from(kept, (mode) => mode.at);
  const opposite = Int32Array.from(kept, (mode) => mode.opposite);
  const kx = Float64Array.from(at, (position) => 2 * Math.PI * wave[position % grid]);
  const ky = Float64Array.from(at, (position) => 2 * Math.PI * wave[Math.floor(position / grid)]);
  const square = kx.map((k, m) => k * k + ky[m] * ky[m]);
  const decay = square.map((k2) => Math.exp((-viscosity * k2 * step) / 2)); // over half a step

  const forced = pair();
  for (let i = 0; i < grid; i++)
    for (let j = 0; j < grid; j++) forced.re[i * grid + j] = force(i / grid, j / grid);
  fft.analyse(forced.re, forced.im);

  const z = pair();

  /**
   * f - u . grad w = f + (d_yy - d_xx)(u v) + d_xy(u^2 - v^2), Basdevant's form (J. Comput. Phys. 50, 1983). The square of
   * z = u + i v holds both products: one complex transform there and one back.
   */
  function rate(w, out) {
    z.re.fill(0);
    z.im.fill(0);
    for (let m = 0; m < at.length; m++) {
      if (square[m] === 0) continue;
      const p = at[m];
      z.re[p] = (kx[m] * w.re[p] - ky[m] * w.im[p]) / square[m];
      z.im[p] = (kx[m] * w.im[p] + ky[m] * w.re[p]) / square[m];
    }
    fft.synthesise(z.re, z.im);
    for (let p = 0; p < size; p++) {
      const u = z.re[p];
      z.re[p] = u * u - z.im[p] * z.im[p];
      z.im[p] = 2 * u * z.im[p];
    }
    fft.analyse(z.re, z.im);
    for (let m = 0; m < at.length; m++) {
      const [p, q] = [at[m], opposite[m]];
      // Coefficients of u^2 - v^2 and of u v from those of z^2.
      const differenceRe = (z.re[p] + z.re[q]) / 2;
      const differenceIm = (z.im[p] - z.im[q]) / 2;
      const productRe = (z.im[p] + z.im[q]) / 4;
      const productIm = (z.re[q] - z.re[p]) / 4;
      const straight = kx[m] * kx[m] - ky[m] * ky[m];
      const crossed = kx[m] * ky[m];
      out.re[p] = straight * productRe - crossed * differenceRe + forced.re[p];
      out.im[p] = straight * productIm - crossed * differenceIm + forced.im[p];
    }
  }

  const [a, b, c, d, stage] = Array.from({ length: 5 }, pair);

  /** One step of the state, in place. */
  function advance(w) {
    rate(w, a);
    each((m, p, part) => {
      stage[part][p] = decay[m] * (w[part][p] + (step / 2) * a[part][p]);
    });
    rate(stage, b);
    each((m, p, part) => {
      stage[part][p] = decay[m] * w[part][p] + (step / 2) * b[part][p];
    });
    rate(stage, c);
    each((m, p, part) => {
      stage[part][p] = decay[m] * (decay[m] * w[part][p] + step * c[part][p]);
    });
    rate(stage, d);
    each((m, p, part) => {
      const whole = decay[m] * decay[m];
      const middle = decay[m] * (b[part][p] + c[part][p]);
      w[part][p] = whole * w[part][p] + (step / 6) * (whole * a[part][p] + 2 * middle + d[part][p]);
    });
  }

  function each(update) {
    for (let m = 0; m < at.length; m++) {
      update(m, at[m], "re");
      update(m, at[m], "im");
    }
  }

  return {
    /** From vorticity on the grid, x along the first axis, to vorticity after `time`, a multiple of the step. */
    solve(start, time) {
      const w = { re: Float64Array.from(start), im: new Float64Array(size) };
      fft.analyse(w.re, w.im);
      const inside = new Set(at);
      for (let p = 0; p < size; p++) if (!inside.has(p)) w.re[p] = w.im[p] = 0;
      const steps = Math.round(time / step);
      if (Math.abs(steps * step - time) > 1e-9 * time)
        throw new RangeError(`time ${time} is not a multiple of the step ${step}`);
      for (let i = 0; i < steps; i++) advance(w);
      fft.synthesise(w.re, w.im);
      if (!w.re.every(Number.isFinite))
        throw new RangeError(`the solution blew up: the step ${step} is too long`);
      return w.re;
    },
  };
}

/** Number of modes 0, 1, ... along an axis of which products of two have no aliasing on this many points. */
export const modesOf = (grid) => Math.floor((grid - 1) / 3) + 1;

/**
 * A Gaussian random field with mean 0 and covariance 2 * 7^3 (-Laplace + 49)^-2.5, as the generator of Li et al. (2021) draws
 * it. (Section 5.3 prints 7^(3/2) in place of 2 * 7^3.) Only wave numbers below `modes` along each axis are drawn, always in the
 * same order: a finer grid gives the same function.
 */
export function randomVorticity(random, { grid, modes = modesOf(grid) }) {
  const fft = squareFft(grid);
  const re = new Float64Array(grid * grid);
  const im = new Float64Array(grid * grid);
  const place = (i, j) => ((j + grid) % grid) * grid + ((i + grid) % grid);
  for (let i = 0; i < modes; i++) {
    for (let j = 1 - modes; j < modes; j++) {
      if (i === 0 && j <= 0) continue; // half of the modes; the others follow since the field is real
      const amplitude = 7 ** 1.5 * (4 * Math.PI ** 2 * (i * i + j * j) + 49) ** -1.25;
      // Box and Muller: a standard normal pair.
      const radius = amplitude * Math.sqrt(-2 * Math.log(random.uniform()));
      const angle = 2 * Math.PI * random.uniform();
      re[place(i, j)] = re[place(-i, -j)] = radius * Math.cos(angle);
      im[place(i, j)] = radius * Math.sin(angle);
      im[place(-i, -j)] = -im[place(i, j)];
    }
  }
  fft.synthesise(re, im);
  return re;
}
