import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type {
  Device,
  DeviceEvent,
  Graph,
  Kernel,
  Pointer,
  StridedProduct,
} from "../../../../src/engine/cuda/device/device.js";
import { type Ffi, loadFfi, type NativeFunction } from "../../../../src/engine/cuda/device/ffi.js";
import type { Multiprocessors } from "../../../../src/engine/cuda/kernels/kernel-body.js";
import { inCplusplus } from "./cplusplus.js";

const run = promisify(execFile);

/** A GPU with so few multiprocessors that small products are large for it. */
const SMALL: Multiprocessors = { processors: 2, shared: 228 * 1024, blockShared: 227 * 1024 };
/** Bytes around memory that nothing may write to. */
const ZONE = 256;
const HEADERS = ["gpu.h", "races.h"] as const;
/** The compiler tells races.h of all that threads read and write. */
const OPTIONS = ["-std=c++17", "-O1", "-w", "-fPIC", "-ffp-contract=off", "-fsanitize=thread"] as const;

/** Whether there is a compiler of C++ whose kernels can be loaded. */
export async function canEmulate(): Promise<boolean> {
  if (process.platform !== "linux") return false;
  return Promise.all([run("c++", ["--version"]), loadFfi()]).then(
    () => true,
    () => false,
  );
}

/** A device whose kernels are compiled to C++ and emulated on a CPU; see gpu.h. */
export async function openEmulatedDevice({ tf32 = false, multiprocessors = SMALL } = {}): Promise<Device> {
  const folder = mkdtempSync(join(tmpdir(), "emulated-"));
  for (const header of HEADERS) copyFileSync(join(import.meta.dirname, header), join(folder, header));
  const header = join(folder, HEADERS[0]);
  // Compiled once, since there are many modules.
  await run("c++", [...OPTIONS, "-x", "c++-header", "-o", `${header}.gch`, header]);
  return new EmulatedDevice(await loadFfi(), folder, tf32 ? "tf32" : "fp32", multiprocessors);
}

class EmulatedDevice implements Device {
  readonly name = "an emulated GPU";
  readonly capability = [9, 0] as const;
  readonly memory = 2 ** 33;
  readonly precision;
  readonly multiprocessors;
  readonly #ffi: Ffi;
  readonly #folder: string;
  /** Memory by its address, with zones around it. */
  readonly #memory = new Map<Pointer, Uint8Array>();
  readonly #libraries = new Map<string, string>();
  readonly #functions = new Map<Kernel, NativeFunction>();
  #compilations = 0;
  #recorded: (() => void)[] | undefined;

  constructor(ffi: Ffi, folder: string, precision: Device["precision"], multiprocessors: Multiprocessors) {
    this.#ffi = ffi;
    this.#folder = folder;
    this.precision = precision;
    this.multiprocessors = multiprocessors;
  }

  allocate(bytes: number): Pointer {
    const all = new Uint8Array(new ArrayBuffer(bytes + 4 * ZONE)).fill(0x5a);
    const address = this.#ffi.address(all);
    const start = ZONE + Number((BigInt(ZONE) - (address % BigInt(ZONE))) % BigInt(ZONE));
    const pointer = address + BigInt(start);
    this.#memory.set(pointer, all.fill(0xff, start, start + bytes)); // not a number
    return pointer;
  }

  free(pointer: Pointer): void {
    const all = this.#memory.get(pointer)!;
    const start = Number(pointer - this.#ffi.address(all));
    const end = all.length - 4 * ZONE + start;
    if (![...all.subarray(0, start), ...all.subarray(end)].every((byte) => byte === 0x5a))
      throw new Error("a kernel wrote beyond memory of its own");
    this.#memory.delete(pointer);
  }

  upload(to: Pointer, { buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.#bytes(to, byteLength).set(new Uint8Array(buffer, byteOffset, byteLength));
  }

  download(from: Pointer, { buffer, byteOffset, byteLength }: ArrayBufferView): void {
    new Uint8Array(buffer, byteOffset, byteLength).set(this.#bytes(from, byteLength));
  }

  zero(to: Pointer, bytes: number): void {
    this.#issue(() => this.#bytes(to, bytes).fill(0));
  }

  copy(to: Pointer, from: Pointer, bytes: number): void {
    this.#issue(() => this.#bytes(to, bytes).set(this.#bytes(from, bytes)));
  }

  async prepare(sources: readonly string[]): Promise<void> {
    const open = [...new Set(sources)].filter((source) => !this.#libraries.has(source));
    const next = async (): Promise<void> => {
      for (let source = open.pop(); source !== undefined; source = open.pop())
        this.#libraries.set(source, await this.#compiled(source));
    };
    await Promise.all([next(), next()]);
  }

  compile(source: string, names: readonly string[]): ReadonlyMap<string, Kernel> {
    const library = this.#ffi.open(this.#libraries.get(source)!);
    return new Map(
      names.map((name) => {
        const kernel = { name };
        const prototype = `int run_${name}(void*, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t)`;
        this.#functions.set(kernel, library.status(prototype));
        return [name, kernel];
      }),
    );
  }

  launch(
    kernel: Kernel,
    grid: readonly [number, number, number],
    block: number,
    pointers: readonly Pointer[],
    sharedBytes = 0,
  ): void {
    const given = BigUint64Array.from(pointers);
    this.#issue(() => {
      const status = this.#functions.get(kernel)!(given, ...grid, block, sharedBytes);
      if (status !== 0) throw new Error(`${kernel.name} did what no kernel may do`);
    });
  }

  multiply({ rows, columns, inner, batch, a, b, c, beta }: StridedProduct): void {
    this.#issue(() => {
      const at = (
        { pointer, batchStride }: { pointer: Pointer; batchStride: number },
        n: number,
        size: number,
      ) => {
        const bytes = this.#bytes(pointer + BigInt(4 * n * batchStride), 4 * size);
        return new Float32Array(bytes.buffer, bytes.byteOffset, size);
      };
      const extent = (lines: number, numbers: number, stride: number) => (lines - 1) * stride + numbers;
      const sizeA = a.transposed ? extent(inner, rows, a.rowStride) : extent(rows, inner, a.rowStride);
      const sizeB = b.transposed ? extent(columns, inner, b.rowStride) : extent(inner, columns, b.rowStride);
      const [rowA, innerA] = a.transposed ? [1, a.rowStride] : [a.rowStride, 1];
      const [innerB, columnB] = b.transposed ? [1, b.rowStride] : [b.rowStride, 1];
      for (let n = 0; n < batch; n++) {
        const [x, y] = [at(a, n, sizeA), at(b, n, sizeB)];
        const z = at(c, n, extent(rows, columns, c.rowStride));
        for (let i = 0; i < rows; i++)
          for (let j = 0; j < columns; j++) {
            let sum = beta === 0 ? 0 : z[i * c.rowStride + j];
            for (let k = 0; k < inner; k++) sum += x[i * rowA + k * innerA] * y[k * innerB + j * columnB];
            z[i * c.rowStride + j] = sum;
          }
      }
    });
  }

  placeTogether(): undefined {}

  multiplyAll(): never {
    throw new Error("nothing was placed together");
  }

  concurrently(tasks: readonly (() => void)[]): void {
    for (const task of [...tasks].reverse()) task();
  }

  capture(record: () => void): Graph {
    const recorded: (() => void)[] = [];
    this.#recorded = recorded;
    record();
    this.#recorded = undefined;
    return {
      launch: () => {
        for (const work of recorded) work();
      },
      close: () => {},
    };
  }

  event(): DeviceEvent {
    return { record: () => {}, reached: async () => {}, wait: () => {}, since: () => 0, close: () => {} };
  }

  async synchronise(): Promise<void> {}

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #issue(work: () => void): void {
    if (this.#recorded) this.#recorded.push(work);
    else work();
  }

  async #compiled(source: string): Promise<string> {
    const path = join(this.#folder, `kernels-${this.#compilations++}`);
    await writeFile(`${path}.cpp`, inCplusplus(source));
    await run("c++", [...OPTIONS, "-c", "-I", this.#folder, "-o", `${path}.o`, `${path}.cpp`], {
      maxBuffer: 2 ** 24,
    });
    await run("c++", ["-shared", "-o", `${path}.so`, `${path}.o`]);
    return `${path}.so`;
  }

  /** Bytes from an address on, which lie within memory that was allocated. */
  #bytes(pointer: Pointer, count: number): Uint8Array {
    for (const [start, all] of this.#memory) {
      const size = all.length - 4 * ZONE;
      if (pointer < start || pointer + BigInt(count) > start + BigInt(size)) continue;
      const at = Number(pointer - this.#ffi.address(all));
      return all.subarray(at, at + count);
    }
    throw new RangeError(`${count} bytes at ${pointer} are not memory of the device`);
  }
}
