/**
 * Writing of protocol buffers (https://protobuf.dev/programming-guides/encoding). A message is kept in pieces until
 * the end, so that a large tensor is copied once however deep it is nested.
 */
export type Message = readonly Uint8Array[];

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** A field with a whole number, two's complement where it is negative. */
export function whole(field: number, value: number): Message {
  return [varint(field * 8 + VARINT), varint(value)];
}

/** A field with a float32. */
export function float(field: number, value: number): Message {
  return [varint(field * 8 + FIXED_32), new Uint8Array(Float32Array.of(value).buffer)];
}

/** A field with a float64. */
export function double(field: number, value: number): Message {
  return [varint(field * 8 + FIXED_64), new Uint8Array(Float64Array.of(value).buffer)];
}

export function text(field: number, value: string): Message {
  return bytes(field, new TextEncoder().encode(value));
}

export function bytes(field: number, value: Uint8Array): Message {
  return message(field, [value]);
}

/** A field with a message that is made of these fields. */
export function message(field: number, ...fields: readonly Message[]): Message {
  const pieces = fields.flat();
  return [varint(field * 8 + LENGTH_DELIMITED), varint(lengthOf(pieces))].concat(pieces);
}

/** The bytes of a message. */
export function serialise(...fields: readonly Message[]): Uint8Array {
  const pieces = fields.flat();
  const result = new Uint8Array(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    result.set(piece, at);
    at += piece.length;
  }
  return result;
}

function lengthOf(pieces: Message): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

function varint(value: number): Uint8Array {
  const result: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 128n; rest >>= 7n) result.push(Number(rest & 127n) | 128);
  result.push(Number(rest));
  return Uint8Array.from(result);
}
