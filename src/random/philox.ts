/** Four 32-bit words. */
export type Words = readonly [number, number, number, number];

const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;

/**
 * Philox4x32-10: a bijection of 128-bit counters under a 64-bit key, so that any block of any stream can be had
 * without the ones before it. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
 */
export function philox(counter: Words, key0: number, key1: number): Words {
  const block = Uint32Array.from(counter);
  philoxInPlace(block, key0, key1);
  return [block[0], block[1], block[2], block[3]];
}

/** The same, of a counter that its four words take the place of. */
export function philoxInPlace(block: Uint32Array, key0: number, key1: number): void {
  // Signed 32-bit integers throughout, which engines keep in registers; unsigned ones would become doubles.
  let c0 = block[0] | 0;
  let c1 = block[1] | 0;
  let c2 = block[2] | 0;
  let c3 = block[3] | 0;
  let k0 = key0 | 0;
  let k1 = key1 | 0;
  for (let round = 0; round < 10; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low0 = Math.imul(MULTIPLIER_0, c0);
    const low1 = Math.imul(MULTIPLIER_1, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  block[0] = c0;
  block[1] = c1;
  block[2] = c2;
  block[3] = c3;
}

/** The upper 32 bits of the 64-bit product of two unsigned 32-bit words. No partial sum exceeds 32 bits. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) | 0;
  const other = (Math.imul(aLow, bHigh) + (middle & 0xffff)) | 0;
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (other >>> 16)) | 0;
}
