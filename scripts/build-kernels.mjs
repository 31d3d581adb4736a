// Compiles assembly/ into src/numerics/kernels/binary.ts: one build for a memory of its own, one for a memory
// that threads share, and apart from them the stencil of the wave equation, shuffles and Fourier transforms. None has a
// runtime or a garbage collector; all work on pointers into the memory they are given.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const COMMON = [
  "-O3",
  "--noAssert",
  "--enable",
  "simd",
  "--runtime",
  "stub",
  "--use",
  "abort=",
  "--importMemory",
];
const SHARED = ["--enable", "threads", "--sharedMemory", "--initialMemory", "1", "--maximumMemory", "65536"];

async function compile(entry, flags = []) {
  let binary;
  const { error, stderr } = await asc.main([entry, ...COMMON, ...flags, "--outFile", "kernels.wasm"], {
    writeFile: (_name, contents) => {
      binary = contents;
    },
  });
  if (error) throw new Error(`${error.message}\n${stderr.toString()}`);
  return Buffer.from(binary).toString("base64");
}

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
await writeFile(
  "src/numerics/kernels/binary.ts",
  `// Written by scripts/build-kernels.mjs from assembly/.
export const PLAIN = "${await compile("assembly/index.ts")}";
export const SHARED = "${await compile("assembly/index.ts", SHARED)}";
export const WAVE = "${await compile("assembly/wave.ts")}";
export const SHUFFLE = "${await compile("assembly/shuffle.ts")}";
export const FFT = "${await compile("assembly/fft.ts")}";
`,
);
