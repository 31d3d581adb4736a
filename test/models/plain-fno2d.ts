import { erf } from "../../src/numerics/error-function.js";

interface PlainSizes {
  readonly inputs: number;
  readonly outputs: number;
  readonly width: number;
  readonly modes: number;
  readonly layers: number;
  readonly projection: number;
  readonly padding: number;
}

/** One channel of a field, row by row. */
type Field = number[];

const gelu = (x: number) => (x / 2) * (1 + erf(x / Math.SQRT2));

/** A Fourier neural operator by the book: full transforms as direct sums, channel by channel. */
export function plainFno2d(
  parameters: Float64Array,
  inputs: Float64Array,
  [samples, channels, rows, columns]: readonly number[],
  { outputs, width, modes, layers, projection, padding }: PlainSizes,
): Float64Array {
  let start = 0;
  const take = (size: number) => {
    start += size;
    return parameters.subarray(start - size, start);
  };
  const affine = (from: number, to: number) => {
    const [weight, bias] = [take(from * to), take(to)];
    return (x: readonly Field[]): Field[] =>
      Array.from({ length: to }, (_, o) =>
        x[0].map((_, at) => x.reduce((sum, field, i) => sum + field[at] * weight[i * to + o], bias[o])),
      );
  };
  const lift = affine(channels + 2, width);
  const spectral = Array.from({ length: layers }, () => ({
    real: take(2 * modes * modes * width * width),
    imaginary: take(2 * modes * modes * width * width),
    local: affine(width, width),
  }));
  const project = affine(width, projection);
  const output = affine(projection, outputs);
  const [height, breadth] = [rows + padding, columns + padding];

  const values: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const field = (channel: number): Field =>
      [...inputs.subarray((sample * channels + channel) * rows * columns)].slice(0, rows * columns);
    const place = (f: (i: number, j: number) => number): Field =>
      Array.from({ length: rows * columns }, (_, at) => f(Math.floor(at / columns), at % columns));
    const coordinates = [place((i) => i / (rows - 1)), place((_, j) => j / (columns - 1))];
    let x = lift([...Array.from({ length: channels }, (_, c) => field(c)), ...coordinates]).map((f) =>
      Array.from({ length: height * breadth }, (_, at) => {
        const [i, j] = [Math.floor(at / breadth), at % breadth];
        return i < rows && j < columns ? f[i * columns + j] : 0;
      }),
    );
    spectral.forEach(({ real, imaginary, local }, layer) => {
      const transformed = x.map((f) => transform(f, height, breadth));
      const mixed = Array.from({ length: width }, (_, o) => {
        const re = new Array<number>(height * breadth).fill(0);
        const im = re.slice();
        for (let row = 0; row < 2 * modes; row++)
          for (let ky = 0; ky < modes; ky++) {
            const kx = row < modes ? row : height - 2 * modes + row;
            transformed.forEach((z, i) => {
              const weight = ((row * modes + ky) * width + i) * width + o;
              const at = kx * breadth + ky;
              re[at] += z.re[at] * real[weight] - z.im[at] * imaginary[weight];
              im[at] += z.re[at] * imaginary[weight] + z.im[at] * real[weight];
            });
          }
        return realInverse(re, im, height, breadth);
      });
      const beside = local(x);
      x = mixed.map((f, o) => f.map((v, at) => v + beside[o][at]));
      if (layer + 1 < layers) x = x.map((f) => f.map(gelu));
    });
    const cropped = x.map((f) => place((i, j) => f[i * breadth + j]));
    values.push(...output(project(cropped).map((f) => f.map(gelu))).flat());
  }
  return Float64Array.from(values);
}

/** All frequencies of a field. */
function transform(field: Field, rows: number, columns: number) {
  const re: Field = [];
  const im: Field = [];
  for (let kx = 0; kx < rows; kx++)
    for (let ky = 0; ky < columns; ky++) {
      let [sumRe, sumIm] = [0, 0];
      field.forEach((value, at) => {
        const angle =
          -2 * Math.PI * ((kx * Math.floor(at / columns)) / rows + (ky * (at % columns)) / columns);
        sumRe += value * Math.cos(angle);
        sumIm += value * Math.sin(angle);
      });
      re.push(sumRe);
      im.push(sumIm);
    }
  return { re, im };
}

/**
 * The real field of frequencies of which columns 0 to columns / 2 are given: an inverse transform of each column, then
 * of each row as if the missing columns were complex conjugates, imaginary parts of column 0 and Nyquist taken as 0.
 */
function realInverse(re: Field, im: Field, rows: number, columns: number): Field {
  const field = new Array<number>(rows * columns).fill(0);
  for (let i = 0; i < rows; i++)
    for (let ky = 0; 2 * ky <= columns; ky++) {
      let [partRe, partIm] = [0, 0];
      for (let kx = 0; kx < rows; kx++) {
        const angle = (2 * Math.PI * kx * i) / rows;
        const at = kx * columns + ky;
        partRe += re[at] * Math.cos(angle) - im[at] * Math.sin(angle);
        partIm += re[at] * Math.sin(angle) + im[at] * Math.cos(angle);
      }
      const alone = ky === 0 || 2 * ky === columns;
      for (let j = 0; j < columns; j++) {
        const angle = (2 * Math.PI * ky * j) / columns;
        const value = alone
          ? partRe * Math.cos(angle)
          : 2 * (partRe * Math.cos(angle) - partIm * Math.sin(angle));
        field[i * columns + j] += value / (rows * columns);
      }
    }
  return field;
}
