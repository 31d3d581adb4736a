// Philox4x32-10 (src/random/philox.ts) in bulk, four blocks at a time, and the shuffle of src/random/permutation.ts
// by its words. A module of its own, so small that a page may compile it at once, without waiting.

const MULTIPLIER_0: u32 = 0xd2511f53;
const MULTIPLIER_1: u32 = 0xcd9e8d57;
const WEYL_0: u32 = 0x9e3779b9;
const WEYL_1: u32 = 0xbb67ae85;

/** Writes blocks `block` to `block + 3` of a stream: word w of block b at 16 w + 4 b. */
function fourBlocks(out: usize, block: u32, key0: u32, key1: u32, upper0: u32, upper1: u32): void {
  const multiplier0 = i32x4.splat(MULTIPLIER_0);
  const multiplier1 = i32x4.splat(MULTIPLIER_1);
  const weyl0 = i32x4.splat(WEYL_0);
  const weyl1 = i32x4.splat(WEYL_1);
  let k0 = i32x4.splat(key0);
  let k1 = i32x4.splat(key1);
  let c0 = i32x4.add(i32x4.splat(block), i32x4(0, 1, 2, 3));
  let c1 = i32x4.splat(0);
  let c2 = i32x4.splat(upper0);
  let c3 = i32x4.splat(upper1);
  for (let round = 0; round < 10; round++) {
    const left0 = i64x2.extmul_low_i32x4_u(c0, multiplier0);
    const right0 = i64x2.extmul_high_i32x4_u(c0, multiplier0);
    const left1 = i64x2.extmul_low_i32x4_u(c2, multiplier1);
    const right1 = i64x2.extmul_high_i32x4_u(c2, multiplier1);
    const high0 = v128.shuffle<u32>(left0, right0, 1, 3, 5, 7);
    const high1 = v128.shuffle<u32>(left1, right1, 1, 3, 5, 7);
    c0 = v128.xor(v128.xor(high1, c1), k0);
    c2 = v128.xor(v128.xor(high0, c3), k1);
    c1 = v128.shuffle<u32>(left1, right1, 0, 2, 4, 6);
    c3 = v128.shuffle<u32>(left0, right0, 0, 2, 4, 6);
    k0 = i32x4.add(k0, weyl0);
    k1 = i32x4.add(k1, weyl1);
  }
  v128.store(out, c0);
  v128.store(out, c1, 16);
  v128.store(out, c2, 32);
  v128.store(out, c3, 48);
}

/**
 * Copies `count` words from `values` to `out` and shuffles them there (Fisher and Yates) by the stream of this key and
 * these upper words of the counter, from its beginning. `words` are 64 bytes of scratch.
 */
export function shuffled(
  values: usize,
  out: usize,
  count: u32,
  key0: u32,
  key1: u32,
  upper0: u32,
  upper1: u32,
  words: usize,
): void {
  memory.copy(out, values, usize(count) << 2);
  let block: u32 = 0;
  let used: u32 = 16;
  for (let bound = count; bound > 1; bound--) {
    let word: u32;
    let start: u32;
    do {
      if (used === 16) {
        fourBlocks(words, block, key0, key1, upper0, upper1);
        block += 4;
        used = 0;
      }
      word = load<u32>(words + ((used & 3) << 4) + (used & 12));
      used++;
      start = word - (word % bound);
    } while (u64(start) + bound > 0x100000000); // the incomplete last run: no modulo bias
    const last = out + (usize(bound - 1) << 2);
    const other = out + (usize(word - start) << 2);
    const kept = load<u32>(last);
    store<u32>(last, load<u32>(other));
    store<u32>(other, kept);
  }
}
