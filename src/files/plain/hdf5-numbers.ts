import {
  baseAddress,
  DATATYPE,
  type Hdf5Bytes,
  ifAsExpected,
  insist,
  messagesOf,
  only,
  plainNumber,
} from "./hdf5-messages.js";

/** Classes of types. */
const INTEGER = 0;
const FLOAT = 1;

/** IEEE 754's formats by their bytes: location and size of the exponent, those of the mantissa, and the bias. */
const IEEE: Readonly<Record<number, readonly number[]>> = {
  2: [10, 5, 0, 10, 15],
  4: [23, 8, 0, 23, 127],
  8: [52, 11, 0, 52, 1023],
};

/**
 * Why the elements of a dataset are not the numbers that their size suggests, as bfloat16 is no half. The library hands out
 * their bits and does not tell. Undefined where they are, or where the header at this address cannot be read.
 */
export function unusualNumbers(file: Hdf5Bytes, header: bigint): string | undefined {
  return ifAsExpected(() => {
    const base = baseAddress(file, { extended: true }); // the type of a dataset never changes
    const body = only(messagesOf(file, base, base + plainNumber(header)), DATATYPE);
    const type = body.getUint8(0) & 0xf;
    insist(type === INTEGER || type === FLOAT);
    const size = body.getUint32(4, true);
    const [offset, precision] = [body.getUint16(8, true), body.getUint16(10, true)];
    if (type === INTEGER)
      return offset === 0 && precision === 8 * size
        ? undefined
        : `holds integers of ${precision} bits in ${size} bytes: write them again with astype("int${8 * size}")`;
    const [places, normalised, sign] = [
      [...[12, 13, 14, 15].map((at) => body.getUint8(at)), body.getUint32(16, true)],
      (body.getUint8(1) >> 4) & 3,
      body.getUint8(2),
    ];
    const isPlain = offset === 0 && precision === 8 * size && sign === 8 * size - 1 && normalised === 2;
    const isIeee = isPlain && IEEE[size]?.join() === places.join();
    return isIeee
      ? undefined
      : `holds floats of ${8 * size} bits in another format than IEEE 754's, as bfloat16 is: write them again with astype("float32")`;
  });
}
