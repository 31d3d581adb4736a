import { fourierTransform } from "../../numerics/decompositions/fourier-transform.js";
import { elements } from "../../numerics/shape.js";
import type { Representation, RepresentedData } from "../representation.js";
import { mappedFields } from "../represented-rows.js";
import { fieldPoints, fieldStarts, type SpaceAxes, spaceAxes, spaceWords } from "../space-axes.js";

/**
 * The root of the energy in every shell of wave numbers, of the orthonormal Fourier transform over space: the energy spectrum
 * E(k) of turbulence. It forgets where structures are, and never makes two fields more distant than they are.
 */
export const spectrum: Representation = {
  describe: "root of the energy in each shell of wave numbers, which does not see where structures lie",
  rowsCalled: "spectra",
  needsAxes: true,
  rows(data) {
    const axes = spaceAxes(data, "spectrum");
    const { shells, energies } = shellEnergies(axes.space.map((axis) => axes.shape[axis]));
    const starts = fieldStarts(axes);
    const points = Int32Array.from(fieldPoints(axes));
    const shape = [...axes.apart.map((axis) => axes.shape[axis]), shells];
    const field = new Float64Array(points.length);
    return mappedFields(data.responses, shape, (values, result) => {
      starts.forEach((start, i) => {
        for (let p = 0; p < points.length; p++) field[p] = values[start + points[p]];
        energies(field, result.subarray(i * shells, (i + 1) * shells));
      });
    });
  },
  notes: (data: RepresentedData) => [spaceWords(data, spaceAxes(data, "spectrum"))],
};

/** Shells of the wave numbers of a grid, and what writes the root of the energy in each of them. */
function shellEnergies(sides: readonly number[]): {
  readonly shells: number;
  energies(field: Float64Array, roots: Float64Array): void;
} {
  const size = elements(sides);
  const shellOf = Int32Array.from({ length: size }, (_, point) => {
    let rest = point;
    let square = 0;
    for (const side of [...sides].reverse()) {
      const k = rest % side;
      rest = Math.floor(rest / side);
      const number = k <= side / 2 ? k : k - side; // the wave number that aliases to k
      square += number * number;
    }
    return Math.round(Math.sqrt(square)); // never a tie: a whole number is no (m + 1/2)^2
  });
  const shells = 1 + shellOf.reduce((most, shell) => Math.max(most, shell), 0);
  const transform = gridTransform(sides);
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  return {
    shells,
    energies(field, roots) {
      re.set(field);
      im.fill(0);
      transform(re, im);
      roots.fill(0);
      for (let k = 0; k < size; k++) roots[shellOf[k]] += re[k] * re[k] + im[k] * im[k];
      for (let shell = 0; shell < shells; shell++) roots[shell] = Math.sqrt(roots[shell] / size);
    },
  };
}

/** The Fourier transform along all axes of a grid, in place. */
function gridTransform(sides: readonly number[]): (re: Float64Array, im: Float64Array) => void {
  const axes: Pick<SpaceAxes, "shape" | "strides"> = {
    shape: sides,
    strides: sides.map((_, axis) => elements(sides.slice(axis + 1))),
  };
  const lines = sides.map((side, axis) => ({
    side,
    stride: axes.strides[axis],
    starts: fieldStarts({ ...axes, space: [], apart: sides.map((_, i) => i).filter((i) => i !== axis) }),
    line: { re: new Float64Array(side), im: new Float64Array(side) },
    transform: fourierTransform(side),
  }));
  return (re, im) => {
    for (const { side, stride, starts, line, transform } of lines)
      for (const start of starts) {
        for (let i = 0, at = start; i < side; i++, at += stride) {
          line.re[i] = re[at];
          line.im[i] = im[at];
        }
        transform(line);
        for (let i = 0, at = start; i < side; i++, at += stride) {
          re[at] = line.re[i];
          im[at] = line.im[i];
        }
      }
  };
}
