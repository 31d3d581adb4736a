import { symmetricEigen } from "./symmetric-eigen.js";
import { dot, norm, plus } from "./vector.js";

/** The ends of a symmetric matrix's spectrum, each from within. */
export interface SpectralEnds {
  readonly smallest: number;
  readonly largest: number;
}

/**
 * The ends of the spectrum of a symmetric matrix that is known by its products with vectors: Lanczos' method with full
 * reorthogonalisation. The values are those of the best vectors of a Krylov space, hence within the true ends; the
 * larger in size is off by a percent after a dozen steps where it is separated from the rest.
 *
 * @param start a vector with some part along the wanted eigenvectors, such as a random one
 * @param steps products at most, 16 by default
 * @param tolerance part of the larger end by which it has to change for another step to be taken; 1e-4 by default
 */
export async function spectralEnds(
  multiply: (v: Float64Array) => Promise<Float64Array>,
  start: Float64Array,
  { steps = 16, tolerance = 1e-4 }: { readonly steps?: number; readonly tolerance?: number } = {},
): Promise<SpectralEnds> {
  const basis: Float64Array[] = [];
  const diagonal: number[] = [];
  const beside: number[] = [];
  let next = start;
  let length = norm(start);
  let found: SpectralEnds = { smallest: 0, largest: 0 };
  for (let step = 0; step < Math.min(steps, start.length); step++) {
    const v = next.map((value) => value / length);
    basis.push(v);
    let rest = await multiply(v);
    diagonal.push(dot(v, rest));
    const scale = norm(rest);
    // Twice is enough (Parlett, The Symmetric Eigenvalue Problem, 6.9).
    for (let pass = 0; pass < 2; pass++) for (const u of basis) rest = plus(rest, u, -dot(u, rest));
    const before = sizeOf(found);
    found = tridiagonalEnds(diagonal, beside);
    const settled = step > 3 && Math.abs(sizeOf(found) - before) < tolerance * before;
    length = norm(rest);
    if (settled || length <= 1e-13 * scale || scale === 0) break;
    beside.push(length);
    next = rest;
  }
  return found;
}

/** The largest absolute eigenvalue, from below, by the same method. */
export async function spectralNorm(...parameters: Parameters<typeof spectralEnds>): Promise<number> {
  return sizeOf(await spectralEnds(...parameters));
}

const sizeOf = ({ smallest, largest }: SpectralEnds): number => Math.max(-smallest, largest);

function tridiagonalEnds(diagonal: readonly number[], beside: readonly number[]): SpectralEnds {
  const n = diagonal.length;
  const matrix = new Float64Array(n * n);
  diagonal.forEach((value, i) => {
    matrix[i * n + i] = value;
    if (i > 0) matrix[i * n + i - 1] = matrix[(i - 1) * n + i] = beside[i - 1];
  });
  const { values } = symmetricEigen(matrix, n);
  return { smallest: Math.min(...values), largest: Math.max(...values) };
}
