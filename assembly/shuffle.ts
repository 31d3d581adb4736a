// Philox4x32-10 (src/random/philox.ts) in bulk, four blocks at a time, the shuffle of src/random/permutation.ts by its
// words, and batches of lists that are shuffled for every pass through them. A module of its own, so small that a page may compile
// it at once, without waiting.

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
function shuffled(
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

/** One block of Philox in the place of its counter. */
function philox(state: usize, key0: u32, key1: u32): void {
  let c0 = load<u32>(state);
  let c1 = load<u32>(state, 4);
  let c2 = load<u32>(state, 8);
  let c3 = load<u32>(state, 12);
  for (let round = 0; round < 10; round++) {
    const product0 = u64(c0) * MULTIPLIER_0;
    const product1 = u64(c2) * MULTIPLIER_1;
    c0 = u32(product1 >> 32) ^ c1 ^ key0;
    c2 = u32(product0 >> 32) ^ c3 ^ key1;
    c1 = u32(product1);
    c3 = u32(product0);
    key0 += WEYL_0;
    key1 += WEYL_1;
  }
  store<u32>(state, c0);
  store<u32>(state, c1, 4);
  store<u32>(state, c2, 8);
  store<u32>(state, c3, 12);
}

/** The identity of a stream (src/random/stream.ts) by the bytes of its name, into the 16 bytes of `state`. */
function identity(state: usize, seed0: u32, seed1: u32, name: usize, length: u32): void {
  v128.store(state, i64x2.splat(0));
  for (let at: u32 = 0; at <= length; at += 16) {
    const end = min<u32>(at + 16, length);
    for (let i = at; i < end; i++)
      store<u8>(state + (i & 15), load<u8>(state + (i & 15)) ^ load<u8>(name + i));
    if (end < at + 16) store<u8>(state + (end & 15), load<u8>(state + (end & 15)) ^ 0x80);
    philox(state, seed0, seed1);
  }
}

/** Writes a whole number in decimal digits and returns how many they are. */
function digits(to: usize, value: u32): u32 {
  let count: u32 = 1;
  for (let rest = value / 10; rest > 0; rest /= 10) count++;
  for (let at = count; at > 0; value /= 10) store<u8>(to + --at, u8(48 + (value % 10)));
  return count;
}

/** A list, as src/random/batched-shuffles.ts writes it: ten words. */
@unmanaged
class List {
  given: u32;
  shuffled: u32;
  length: u32;
  batch: u32;
  /** Batches of a pass, and the pass that it is shuffled for, -1 before the first. */
  batches: u32;
  pass: u32;
  seed0: u32;
  seed1: u32;
  /** The bytes of the name up to the pass, with room for its digits behind them. */
  name: u32;
  nameLength: u32;
}

/**
 * Writes batches `first` to `first + batches - 1` of all lists to `out`, [batches, lists, width], each filled up with its
 * first number, and their numbers of elements to `lengths`. `scratch` are 80 bytes.
 */
export function takeBatches(
  lists: usize,
  count: u32,
  first: u32,
  batches: u32,
  width: u32,
  out: usize,
  lengths: usize,
  scratch: usize,
): void {
  for (let l: u32 = 0; l < count; l++) {
    const list = changetype<List>(lists + usize(l) * offsetof<List>());
    for (let b: u32 = 0; b < batches; b++) {
      const pass = (first + b) / list.batches;
      if (pass !== list.pass) {
        list.pass = pass;
        const state = scratch + 64;
        identity(
          state,
          list.seed0,
          list.seed1,
          list.name,
          list.nameLength + digits(list.name + list.nameLength, pass),
        );
        shuffled(
          list.given,
          list.shuffled,
          list.length,
          load<u32>(state),
          load<u32>(state, 4),
          load<u32>(state, 8),
          load<u32>(state, 12),
          scratch,
        );
      }
      const start = (first + b - pass * list.batches) * list.batch;
      const length = min<u32>(list.batch, list.length - start);
      const place = b * count + l;
      const from = list.shuffled + (usize(start) << 2);
      const to = out + ((usize(place) * width) << 2);
      memory.copy(to, from, usize(length) << 2);
      const filling = length > 0 ? load<u32>(from) : 0;
      for (let i = length; i < width; i++) store<u32>(to + (usize(i) << 2), filling);
      store<u32>(lengths + (usize(place) << 2), length);
    }
  }
}
