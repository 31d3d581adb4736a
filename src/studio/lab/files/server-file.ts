import { FileError } from "../../../errors.js";
import type { DistantBytes } from "./byte-blocks.js";
import type { GivenFile } from "./given-files.js";

/** Bytes that one request asks for at most, as the server has it. */
const MOST_BYTES = 1 << 24;

/** The bytes of a file on the server behind the page, which are fetched as they are needed. */
export function serverFile({
  name,
  size,
  address,
}: Extract<GivenFile, { readonly kind: "server" }>): DistantBytes {
  const rangeOf = (offset: number, length: number) => `${address}&from=${offset}&to=${offset + length}`;
  const whole = (status: number, buffer: ArrayBuffer, length: number): Uint8Array => {
    if (status !== 200 || buffer.byteLength !== length)
      throw new FileError(`${name}: ${reasonIn(buffer) ?? `the server answers ${status}`}`);
    return new Uint8Array(buffer);
  };
  const away = () =>
    new FileError(`${name} cannot be read: the studio's server does not answer. Start it again`);
  const fetched = async (offset: number, length: number): Promise<Uint8Array> => {
    const answer = await fetch(rangeOf(offset, length)).catch(() => {
      throw away();
    });
    return whole(answer.status, await answer.arrayBuffer(), length);
  };
  const fetchedNow = (offset: number, length: number): Uint8Array => {
    const request = new XMLHttpRequest();
    request.open("GET", rangeOf(offset, length), false);
    request.responseType = "arraybuffer";
    try {
      request.send();
    } catch {
      throw away();
    }
    return whole(request.status, request.response as ArrayBuffer, length);
  };
  return {
    name,
    size,
    read: async (offset, length) => {
      if (length <= MOST_BYTES) return fetched(offset, length);
      const bytes = new Uint8Array(length);
      for (const [from, count] of requests(length)) bytes.set(await fetched(offset + from, count), from);
      return bytes;
    },
    readNow: (offset, length) => {
      if (length <= MOST_BYTES) return fetchedNow(offset, length);
      const bytes = new Uint8Array(length);
      for (const [from, count] of requests(length)) bytes.set(fetchedNow(offset + from, count), from);
      return bytes;
    },
  };
}

/** Places and lengths of the requests that a long read takes. */
const requests = (length: number): (readonly [from: number, count: number])[] =>
  Array.from({ length: Math.ceil(length / MOST_BYTES) }, (_, i) => [
    i * MOST_BYTES,
    Math.min(MOST_BYTES, length - i * MOST_BYTES),
  ]);

/** What the server says in place of bytes. */
function reasonIn(buffer: ArrayBuffer): string | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(buffer)).error;
  } catch {
    return undefined;
  }
}
