import { vectorLength } from "../plan/expressions/vector-length.js";
import { MOST_BITS, type Patches } from "../plan/layout/patch-matrix.js";
import type { Product } from "../plan/layout/products.js";

/** How many places side by side have numbers side by side, all in the field or all outside, of a matrix that begins as aligned as these. */
export function placesTogether(patches: Patches, ...aligned: readonly number[]): 1 | 2 | 4 {
  const { kernel, strides, steps, places, shift } = patches;
  const isRow = kernel[1] === 1 && strides[1] === 1 && steps[2] === 1 && !leaves(patches, 1);
  return isRow ? vectorLength(steps[0], steps[1], places[1], shift, ...aligned) : 1;
}

/** Whether parts of patches lie outside of the field, along an axis of it. */
function leaves({ kernel, strides, padding, field, places }: Patches, axis: 0 | 1): boolean {
  const last = (places[axis] - 1) * strides[axis] + kernel[axis] - 1;
  return padding[axis] > 0 || last >= field[axis];
}

/**
 * Functions `tap(line, inside)` and `place(number, inside)` in CUDA C, where `inside` says whether there is such a line
 * or place. Both give where in the field, and bits: a number is in the field if the bits of its line and place have none
 * in common, and lies at the sum of what both say.
 */
export function patchesText(patches: Patches): string {
  const { kernel, strides, padding, field, steps, places } = patches;
  const [[height, width], [, across]] = [kernel, places];
  const [i, j] = [`line / ${width}u % ${height}u`, `line % ${width}u`];
  const bits = [
    `${2 ** MOST_BITS}u`,
    ...(leaves(patches, 0) ? [`1u << ${i}`] : []),
    ...(leaves(patches, 1) ? [`${2 ** height}u << ${j}`] : []),
  ];
  const outside = ([0, 1] as const).flatMap((axis) =>
    Array.from({ length: leaves(patches, axis) ? kernel[axis] : 0 }, (_, element) => {
      const bit = 2 ** (element + axis * height);
      return `((unsigned)(${"yx"[axis]} + ${element}) < ${field[axis]}u ? 0u : ${bit}u)`;
    }),
  );
  return `auto tap = [](unsigned line, bool inside) {
  const unsigned bits = ${bits.join(" | ")};
  return make_int2(line / ${height * width}u * ${steps[0]}u + ${i} * ${steps[1]}u + ${j} * ${steps[2]}u, inside ? bits : ~0u);
};
auto place = [](unsigned number, bool inside) {
  const int y = (int)(number / ${across}u) * ${strides[0]} - ${padding[0]}, x = (int)(number % ${across}u) * ${strides[1]} - ${padding[1]};
  const unsigned bits = ${[`${2 ** (MOST_BITS + 1)}u`, ...outside].join(" | ")};
  return make_int2(y * ${steps[1]} + x * ${steps[2]}, inside ? bits : ~0u);
};
`;
}

/** The first place of the n-th matrix of patches, in CUDA C. */
export function shiftText({ group }: Product, { shift }: Patches): string {
  return shift === 0 ? "0u" : `${group === undefined ? "n" : `n % ${group}u`} * ${shift}u`;
}
