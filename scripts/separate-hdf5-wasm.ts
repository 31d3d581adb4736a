import { runInNewContext } from "node:vm";
import type { Plugin } from "vite";

/** Where h5wasm's only build for pages holds its WebAssembly, as a text of 3.6 MB, and who reads it. */
const HELD = /function findWasmBinary\(\)\{return binaryDecode\(('.*?')\)\}(?=function getBinarySync)/s;
const READER = "async function getWasmBinary(binaryFile){return getBinarySync(binaryFile)}";

/**
 * Writes h5wasm's WebAssembly to a file of its own, which the page loads with the first HDF5 file: a browser compiles it
 * while it arrives, and scripts stay small.
 */
export function separateHdf5Wasm(): Plugin {
  return {
    name: "separate-hdf5-wasm",
    transform: {
      filter: { id: /h5wasm[\\/]dist[\\/]esm[\\/]hdf5_util\.js$/ },
      handler(code) {
        const literal = HELD.exec(code)?.[1];
        if (literal === undefined || !code.includes(READER))
          throw new Error(
            "h5wasm holds its WebAssembly otherwise than expected: adapt scripts/separate-hdf5-wasm.ts",
          );
        const source = decoded(runInNewContext(literal));
        if (!WebAssembly.validate(source)) throw new Error("what h5wasm holds is no WebAssembly");
        const file = this.emitFile({ type: "asset", name: "hdf5.wasm", source });
        return {
          code: code
            .replace(HELD, () => `function findWasmBinary(){return import.meta.ROLLUP_FILE_URL_${file}}`)
            .replace(READER, () => FETCHED),
          map: null,
        };
      },
    },
  };
}

const FETCHED =
  "async function getWasmBinary(address){const answer=await fetch(address);" +
  "if(!answer.ok)throw new Error('the HDF5 library did not arrive: '+answer.status);return answer.arrayBuffer()}";

/** Bytes of the text: 0 stands there as 256, as the library itself undoes it. */
function decoded(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (sign) => {
    const code = sign.charCodeAt(0);
    return (~code >> 8) & code;
  });
}
