import { FormatError } from "../../errors.js";

/** A field of a message as it lies in the bytes: its number, and its value by wire type. */
export type Field = { readonly field: number } & (
  | { readonly type: "varint"; readonly value: bigint }
  | { readonly type: "fixed32" | "fixed64" | "bytes"; readonly value: Uint8Array }
);

const WIRE_TYPES = { 0: "varint", 1: "fixed64", 2: "bytes", 5: "fixed32" } as const;

/** The fields of a message in their order, unknown ones among them (https://protobuf.dev/programming-guides/encoding). */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (at >= message.length) throw new FormatError("a protocol buffer ends within a number");
      const byte = message[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new FormatError("a protocol buffer has a number of more than 64 bits");
  };
  while (at < message.length) {
    const key = Number(varint());
    const field = Math.floor(key / 8);
    const type = WIRE_TYPES[(key % 8) as keyof typeof WIRE_TYPES];
    if (type === undefined) throw new FormatError(`a protocol buffer has a field of wire type ${key % 8}`);
    if (type === "varint") {
      yield { field, type, value: varint() };
      continue;
    }
    const length = type === "fixed64" ? 8 : type === "fixed32" ? 4 : Number(varint());
    if (at + length > message.length) throw new FormatError("a protocol buffer ends within a field");
    yield { field, type, value: message.subarray(at, at + length) };
    at += length;
  }
}

/** All values of a field that holds text, bytes or messages. */
export function bytesFields(message: Uint8Array, field: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const one of fieldsOf(message)) if (one.field === field && one.type === "bytes") found.push(one.value);
  return found;
}

/** The text of a field; empty where the message lacks it, which is the default of protocol buffers. */
export function textField(message: Uint8Array, field: number): string {
  return new TextDecoder().decode(bytesFields(message, field).at(-1) ?? new Uint8Array());
}

/** The whole number of a field, signed; 0 where the message lacks it. */
export function wholeField(message: Uint8Array, field: number): number {
  let found = 0;
  for (const one of fieldsOf(message))
    if (one.field === field && one.type === "varint") found = Number(BigInt.asIntN(64, one.value));
  return found;
}
