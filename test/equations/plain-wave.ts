/** Everything that the plain scheme needs, at every cell of the whole grid. */
export interface PlainWave {
  readonly rows: number;
  readonly columns: number;
  /** (c dt / dx)^2 and the damping times dt, by row and column. */
  courant(row: number, column: number): number;
  loss(row: number, column: number): number;
  readonly source: readonly [row: number, column: number];
  /** What is added at the source, step by step. */
  readonly pushes: readonly number[];
}

/**
 * The second-order, fourth-order scheme as it is written down,
 * p+ = (2 - 5 alpha - kappa dt) p - (1 - kappa dt) p- + alpha (4/3 near - 1/12 far),
 * with one loop over all cells; zero outside. Returns the field after every step.
 */
export function plainWave(wave: PlainWave): Float64Array[] {
  const { rows, columns, source, pushes } = wave;
  let before = new Float64Array(rows * columns);
  let now = before;
  return pushes.map((push) => {
    const at = (r: number, c: number) =>
      r < 0 || c < 0 || r >= rows || c >= columns ? 0 : now[r * columns + c];
    const next = new Float64Array(rows * columns);
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        const near = at(r - 1, c) + at(r + 1, c) + at(r, c - 1) + at(r, c + 1);
        const far = at(r - 2, c) + at(r + 2, c) + at(r, c - 2) + at(r, c + 2);
        const alpha = wave.courant(r, c);
        const loss = wave.loss(r, c);
        next[r * columns + c] =
          (2 - 5 * alpha - loss) * at(r, c) -
          (1 - loss) * before[r * columns + c] +
          alpha * ((4 / 3) * near - far / 12);
      }
    }
    next[source[0] * columns + source[1]] += push;
    [before, now] = [now, next];
    return next;
  });
}
