import { emptyField, type FivePoint, fivePoint, relaxColour, residual } from "./five-point.js";

interface Level {
  readonly matrix: FivePoint;
  readonly u: Float64Array;
  readonly f: Float64Array;
  readonly rest: Float64Array;
}

const SMALLEST = 4; // grids up to this many cells a side are not coarsened
const LAST_SWEEPS = 6; // on the coarsest grid, forwards and then backwards

/**
 * One V-cycle from zero as an approximate inverse: writes the correction for the residual f into `out`.
 *
 * Red-black Gauss-Seidel once before and, in the reverse order, once after the coarse grid, and a restriction that is
 * the transpose of the interpolation: the cycle is a symmetric positive operator, as conjugate gradients ask.
 * Grids are halved while they are even; with an odd number of cells it is just the smoother.
 */
export function vCycle(matrix: FivePoint): (f: Float64Array, out: Float64Array) => void {
  const levels = [level(matrix)];
  for (let fine = matrix; fine.size % 2 === 0 && fine.size > SMALLEST; ) {
    fine = coarsen(fine);
    levels.push(level(fine));
  }

  function cycle(depth: number, f: Float64Array, u: Float64Array): void {
    const { matrix: own, rest } = levels[depth];
    const last = depth === levels.length - 1;
    const sweeps = last ? LAST_SWEEPS : 1;
    u.fill(0);
    for (let sweep = 0; sweep < sweeps; sweep++) {
      relaxColour(own, f, u, 0);
      relaxColour(own, f, u, 1);
    }
    if (!last) {
      const coarse = levels[depth + 1];
      residual(own, f, u, rest);
      restrict(rest, coarse.f, coarse.matrix.size);
      cycle(depth + 1, coarse.f, coarse.u);
      addInterpolated(coarse.u, u, coarse.matrix.size);
    }
    for (let sweep = 0; sweep < sweeps; sweep++) {
      relaxColour(own, f, u, 1);
      relaxColour(own, f, u, 0);
    }
  }

  return (f, out) => cycle(0, f, out);
}

function level(matrix: FivePoint): Level {
  const field = () => emptyField(matrix.size);
  return { matrix, u: field(), f: field(), rest: field() };
}

/**
 * The matrix for cells of twice the width. Between the centres of two coarse cells run two lanes of fine cells, each
 * with half a face, a whole face and half a face in series: jumps of the coefficient are averaged harmonically along
 * the way and arithmetically across it, and any kind of wall keeps its distance.
 */
export function coarsen(fine: FivePoint): FivePoint {
  const size = fine.size / 2;
  const stride = size + 2;
  const down = emptyField(size);
  const right = emptyField(size);
  for (let i = 0; i <= size; i++) {
    for (let j = 1; j <= size; j++) {
      const lane = 2 * i * fine.stride + 2 * j; // the right one of the lanes through coarse face (i, j) downwards
      down[i * stride + j] =
        inSeries(fine.down, lane - 1, fine.stride, i > 0, i < size) +
        inSeries(fine.down, lane, fine.stride, i > 0, i < size);
      const across = 2 * j * fine.stride + 2 * i; // the lower one of those through coarse face (j, i) to the right
      right[j * stride + i] =
        inSeries(fine.right, across - fine.stride, 1, i > 0, i < size) +
        inSeries(fine.right, across, 1, i > 0, i < size);
    }
  }
  return fivePoint(size, down, right);
}

/** Conductance from half a face before to half a face after face k; the ring has no faces of its own. */
function inSeries(faces: Float64Array, k: number, step: number, before: boolean, after: boolean): number {
  let resistance = 1 / faces[k];
  if (before) resistance += 0.5 / faces[k - step];
  if (after) resistance += 0.5 / faces[k + step];
  return 1 / resistance;
}

/** Adds bilinear interpolation between the centres of size x size coarse cells: weights 9, 3, 3 and 1 sixteenths. */
function addInterpolated(coarse: Float64Array, fine: Float64Array, size: number): void {
  const stride = size + 2;
  const fineStride = 2 * size + 2;
  for (let i = 1; i <= size; i++) {
    for (let j = 1; j <= size; j++) {
      const k = i * stride + j;
      const left = 3 * coarse[k] + coarse[k - 1];
      const right = 3 * coarse[k] + coarse[k + 1];
      const to = (2 * i - 1) * fineStride + 2 * j - 1;
      fine[to] += (3 * left + (3 * coarse[k - stride] + coarse[k - stride - 1])) / 16;
      fine[to + 1] += (3 * right + (3 * coarse[k - stride] + coarse[k - stride + 1])) / 16;
      fine[to + fineStride] += (3 * left + (3 * coarse[k + stride] + coarse[k + stride - 1])) / 16;
      fine[to + fineStride + 1] += (3 * right + (3 * coarse[k + stride] + coarse[k + stride + 1])) / 16;
    }
  }
}

/** The transpose of the interpolation. */
function restrict(fine: Float64Array, coarse: Float64Array, size: number): void {
  const stride = size + 2;
  const s = 2 * size + 2;
  for (let i = 1; i <= size; i++) {
    for (let j = 1; j <= size; j++) {
      const a = (2 * i - 2) * s + 2 * j - 2; // the first of 4 x 4 fine cells
      const b = a + s;
      const c = b + s;
      const d = c + s;
      coarse[i * stride + j] =
        (fine[a] +
          fine[a + 3] +
          fine[d] +
          fine[d + 3] +
          3 * (fine[a + 1] + fine[a + 2] + fine[d + 1] + fine[d + 2]) +
          3 * (fine[b] + fine[b + 3] + fine[c] + fine[c + 3]) +
          9 * (fine[b + 1] + fine[b + 2] + fine[c + 1] + fine[c + 2])) /
        16;
    }
  }
}
