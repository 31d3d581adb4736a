/** Numbers at which readers go wrong: ends of types, and lengths that nobody has memory for. */
const NUMBERS = [
  0n,
  1n,
  -1n,
  127n,
  255n,
  256n,
  32767n,
  65535n,
  99_999_999n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 40n,
].concat([2n ** 53n, 2n ** 63n - 1n, 2n ** 64n - 1n]);

/** The same in text, with what else a number may look like. */
const WORDS = [
  ...NUMBERS.map(String),
  "-7",
  "0.5",
  "1e999",
  "-1e-999",
  "NaN",
  "Infinity",
  "0x10",
  "1".repeat(400),
  "",
];

/**
 * Bytes with one to six changes, drawn from a random stream. `tokens` are pieces of text that mean something in the
 * format; `others` are files of the same format, of which parts may be put in; `bigEndian` numbers are written so too.
 *
 * @param {Uint8Array} bytes
 * @param {{ uniform(): number }} random
 * @param {{ tokens?: readonly string[], others: readonly Uint8Array[], bigEndian?: boolean }} format
 */
export function mutated(bytes, random, { tokens = [], others, bigEndian = false }) {
  const below = (limit) => Math.floor(random.uniform() * limit);
  const oneOf = (list) => list[below(list.length)];
  const splice = (at, removed, ...put) =>
    Buffer.concat([content.subarray(0, at), ...put, content.subarray(at + removed)]);
  const somewhere = () => below(content.length + 1);
  const length = () => Math.floor(content.length ** random.uniform()); // short ones as often as long ones
  let content = Buffer.from(bytes);
  const binary = [
    () => overwritten((copy, at) => copy.writeUInt8(copy[at] ^ (1 << below(8)), at), 1),
    () => overwritten((copy, at) => copy.writeUInt8(below(256), at), 1),
    () => overwritten((copy, at) => copy.writeUInt16LE(Number(BigInt.asUintN(16, oneOf(NUMBERS))), at), 2),
    () => overwritten((copy, at) => copy.writeUInt32LE(Number(BigInt.asUintN(32, oneOf(NUMBERS))), at), 4),
    () => overwritten((copy, at) => copy.writeBigUInt64LE(BigInt.asUintN(64, oneOf(NUMBERS)), at), 8),
  ];
  if (bigEndian)
    binary.push(
      () =>
        overwritten((copy, at) => copy.writeUInt32BE(Number(BigInt.asUintN(32, oneOf(NUMBERS))), at & ~3), 4),
      () => overwritten((copy, at) => copy.writeBigUInt64BE(BigInt.asUintN(64, oneOf(NUMBERS)), at & ~3), 8),
    );
  const either = [
    () => content.subarray(0, somewhere()),
    () => splice(somewhere(), length()),
    () => splice(somewhere(), 0, Buffer.from(Array.from({ length: 1 + below(8) }, () => below(256)))),
    () => {
      const from = somewhere();
      const part = content.subarray(from, from + length());
      return splice(somewhere(), 0, ...Array.from({ length: 1 + below(3) }, () => part));
    },
    () => {
      const other = Buffer.from(oneOf(others));
      const from = below(other.length + 1);
      return splice(somewhere(), length(), other.subarray(from, from + length()));
    },
  ];
  const textual = [
    () => {
      const text = content.toString("latin1");
      const found = [...text.matchAll(/-?\d+(\.\d+)?/g)];
      if (found.length === 0) return content;
      const { index, 0: number } = oneOf(found);
      return splice(index, number.length, Buffer.from(oneOf(WORDS)));
    },
    () => splice(somewhere(), 0, Buffer.from(oneOf(tokens), "latin1")),
    () =>
      splice(
        somewhere(),
        0,
        Buffer.from(oneOf(tokens).repeat(Math.floor(2 ** (17 * random.uniform()))), "latin1"),
      ),
  ];
  function overwritten(write, size) {
    const copy = Buffer.from(content);
    if (copy.length >= size) write(copy, below(copy.length - size + 1));
    return copy;
  }
  const changes =
    tokens.length > 0 ? [...binary.slice(0, 2), ...either, ...textual, ...textual] : [...binary, ...either];
  for (let left = below(2) === 0 ? 1 : 1 + below(6); left > 0; left--) content = oneOf(changes)();
  return new Uint8Array(content);
}
