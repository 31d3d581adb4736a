/** Number of elements of an array with these lengths of its axes; 1 for a scalar, whose shape is `[]`. */
export function elements(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}
