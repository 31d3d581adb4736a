/**
 * Complex Fourier transforms of a square of n x n numbers, n a power of two. Real and imaginary parts are arrays in C order.
 * The spectrum is stored with its axes exchanged: number n * k1 + k0 belongs to the wave numbers k0 of the first axis and k1 of
 * the second. This saves a transposition in each direction.
 */
export function squareFft(n) {
  if (n < 2 || (n & (n - 1)) !== 0) throw new RangeError(`a transform needs a power of two, not ${n}`);
  const cosine = Float64Array.from({ length: n / 2 }, (_, k) => Math.cos((2 * Math.PI * k) / n));
  const sine = Float64Array.from({ length: n / 2 }, (_, k) => Math.sin((2 * Math.PI * k) / n));
  const reversed = Array.from({ length: n }, (_, i) => {
    let mirrored = 0;
    for (let bit = 1; bit < n; bit *= 2) mirrored = 2 * mirrored + (i & bit ? 1 : 0);
    return mirrored;
  });
  const workRe = new Float64Array(n * n);
  const workIm = new Float64Array(n * n);

  /** Transforms the first axis of all columns at once (radix 2, decimation in time). The result replaces the numbers. */
  function firstAxis(re, im, sign) {
    for (let i = 0; i < n; i++) {
      const j = reversed[i];
      if (j > i) {
        exchangeRows(re, i, j);
        exchangeRows(im, i, j);
      }
    }
    for (let half = 1; half < n; half *= 2) {
      for (let k = 0; k < half; k++) {
        const c = cosine[(k * n) / (2 * half)];
        const s = sign * sine[(k * n) / (2 * half)];
        for (let row = k; row < n; row += 2 * half) {
          const upper = row * n;
          const lower = (row + half) * n;
          for (let j = 0; j < n; j++) {
            const a = re[lower + j];
            const b = im[lower + j];
            const turnedRe = c * a - s * b;
            const turnedIm = c * b + s * a;
            re[lower + j] = re[upper + j] - turnedRe;
            im[lower + j] = im[upper + j] - turnedIm;
            re[upper + j] += turnedRe;
            im[upper + j] += turnedIm;
          }
        }
      }
    }
  }

  function exchangeRows(values, i, j) {
    for (let k = 0; k < n; k++) {
      const kept = values[i * n + k];
      values[i * n + k] = values[j * n + k];
      values[j * n + k] = kept;
    }
  }

  function transposed(from, to) {
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) to[j * n + i] = from[i * n + j];
  }

  function transform(re, im, sign) {
    firstAxis(re, im, sign);
    transposed(re, workRe);
    transposed(im, workIm);
    firstAxis(workRe, workIm, sign);
    re.set(workRe);
    im.set(workIm);
  }

  return {
    /** Values to coefficients: c_k = n^-2 sum over j of v_j exp(-2 pi i (j . k) / n). */
    analyse(re, im) {
      transform(re, im, -1);
      for (let i = 0; i < n * n; i++) {
        re[i] /= n * n;
        im[i] /= n * n;
      }
    },
    /** Coefficients to values: v_j = sum over k of c_k exp(2 pi i (j . k) / n). */
    synthesise: (re, im) => transform(re, im, 1),
  };
}
