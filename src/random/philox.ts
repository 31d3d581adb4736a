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
  let [c0, c1, c2, c3] = counter;
  for (let round = 0; round < 10; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const low0 = Math.imul(MULTIPLIER_0, c0);
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low1 = Math.imul(MULTIPLIER_1, c2);
    c0 = (high1 ^ c1 ^ key0) >>> 0;
    c1 = low1 >>> 0;
    c2 = (high0 ^ c3 ^ key1) >>> 0;
    c3 = low0 >>> 0;
    key0 = (key0 + WEYL_0) >>> 0;
    key1 = (key1 + WEYL_1) >>> 0;
  }
  return [c0, c1, c2, c3];
}

/** The upper 32 bits of the 64-bit product of two 32-bit words. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = aLow * bHigh + (middle & 0xffff);
  return (aHigh * bHigh + Math.floor(middle / 65536) + other / 65536) >>> 0;
}
