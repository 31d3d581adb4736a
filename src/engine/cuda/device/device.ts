import { DeviceError } from "../../../errors.js";
import type { Multiprocessors } from "../kernels/kernel-body.js";
import { compileCached, prepareCached } from "./cubin-cache.js";
import { type Driver, type Gpu, listGpus } from "./driver.js";
import { type DeviceEvent, openEvent, until } from "./events.js";
import { received, received64 } from "./ffi.js";
import { matrixAddresses, type Pointer, type StridedProduct } from "./gemm.js";
import { LibraryError, type Machine } from "./libraries.js";
import { targetFor } from "./nvrtc.js";
import { openStaging, type Staging } from "./staging.js";
import { type ComputeStream, openStreams, type Streams } from "./streams.js";
import { openToolkit, type Toolkit } from "./toolkit.js";

export type { Gpu } from "./driver.js";
export type { DeviceEvent } from "./events.js";
export type { Operand, Pointer, StridedProduct } from "./gemm.js";

/** A function on the device. */
export interface Kernel {
  readonly name: string;
}

/** Products that one call does; free its addresses when done. */
export interface ProductTable {
  readonly addresses: Pointer;
  readonly count: number;
  readonly alike: StridedProduct;
}

/** Work that was captured and can be issued again as a whole. */
export interface Graph {
  launch(): void;
  close(): void;
}

export type Precision = "fp32" | "tf32";

/**
 * A GPU: everything is done in the order in which it is issued, by one thread of JavaScript, but for what is said to be
 * independent. The same calls give the same bits on the same GPU.
 */
export interface Device {
  readonly name: string;
  /** Compute capability: `[9, 0]` is Hopper. */
  readonly capability: readonly [number, number];
  readonly multiprocessors: Multiprocessors;
  /** Bytes in all. */
  readonly memory: number;
  /** How products are to be computed: as float32 numbers, or as TF32, with 10 bits of mantissa. */
  readonly precision: Precision;
  allocate(bytes: number): Pointer;
  /** Frees memory that nothing issued still uses. */
  free(pointer: Pointer): void;
  /** In its order on the stream; the array may be changed at once. */
  upload(to: Pointer, values: ArrayBufferView): void;
  /** Waits for all that was issued before, without letting anything else run; `synchronise` first avoids that. */
  download(from: Pointer, into: ArrayBufferView): void;
  zero(to: Pointer, bytes: number): void;
  copy(to: Pointer, from: Pointer, bytes: number): void;
  /** Compiles texts for `compile`, at the same time. */
  prepare(sources: readonly string[]): Promise<void>;
  /** Compiles CUDA C and finds its `extern "C"` kernels; texts that were compiled before come from the disk. */
  compile(source: string, names: readonly string[]): ReadonlyMap<string, Kernel>;
  /**
   * Launches a kernel whose arguments are pointers only; sizes and offsets are literals of its text. `sharedBytes` is
   * the shared memory of a block that the text leaves open, of which a multiprocessor has enough for `resident` blocks.
   */
  launch(
    kernel: Kernel,
    grid: readonly [number, number, number],
    block: number,
    pointers: readonly Pointer[],
    sharedBytes?: number,
    resident?: number,
  ): void;
  multiply(product: StridedProduct): void;
  /**
   * Places the addresses of products that are equal in everything but where their matrices lie, for `multiplyAll`, or
   * says that these cannot be done by one call.
   */
  placeTogether(products: readonly StridedProduct[]): ProductTable | undefined;
  multiplyAll(table: ProductTable): void;
  /** Issues tasks that do not depend on each other, so that the device may do them at the same time. */
  concurrently(tasks: readonly (() => void)[]): void;
  /** Makes one graph of everything that `record` issues, which is not carried out yet. No uploads, no downloads. */
  capture(record: () => void): Graph;
  /** A new event, not recorded yet. */
  event(): DeviceEvent;
  /** Resolves when all that was issued is done. Other work of this process goes on meanwhile. */
  synchronise(): Promise<void>;
  /** Frees everything that belongs to the device. */
  close(): void;
}

export interface DeviceOptions {
  /** Which GPU, as `findDevices` counts them; the first by default. */
  readonly index?: number;
  /** Products in TF32, with 10 bits of mantissa: several times as fast, errors of 1e-3. Off by default. */
  readonly tf32?: boolean;
  /** Streams for what can be done at the same time; 4 by default, 1 is for comparison. */
  readonly streams?: number;
  /** Where libraries are looked for; this machine by default. */
  readonly machine?: Machine;
}

/** What CUDA needs as it was found, or why it cannot be used. */
export type FoundDevices =
  | {
      readonly gpus: readonly Gpu[];
      readonly libraries: Readonly<Record<"driver" | "nvrtc" | "cublas", FoundVersion>>;
    }
  | { readonly gpus: readonly []; readonly why: string; readonly searched: readonly string[] };

export interface FoundVersion {
  readonly version: string;
  readonly path: string;
}

/** Finds GPUs and the libraries that are needed to use them. */
export async function findDevices(machine?: Machine): Promise<FoundDevices> {
  try {
    const { driver, nvrtc, cublas } = await openToolkit(machine);
    const gpus = listGpus(driver);
    if (gpus.length === 0)
      return { gpus: [], why: "the driver shows no GPU: see CUDA_VISIBLE_DEVICES", searched: [] };
    return {
      gpus,
      libraries: {
        driver: { version: driver.version.join("."), path: driver.path },
        nvrtc: { version: nvrtc.version, path: nvrtc.path },
        cublas: { version: cublas.version, path: cublas.path },
      },
    };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return { gpus: [], why: error.message, searched: error instanceof LibraryError ? error.searched : [] };
  }
}

/** Opens a GPU; a `DeviceError` says why that is not possible. */
export async function openDevice({
  index = 0,
  tf32 = false,
  streams = 4,
  machine,
}: DeviceOptions = {}): Promise<Device> {
  const toolkit = await openToolkit(machine);
  const gpus = listGpus(toolkit.driver);
  const gpu = gpus[index];
  if (!gpu)
    throw new DeviceError(`there is no GPU ${index}: the driver shows ${gpus.length}, counted from 0`);
  return new CudaDevice(toolkit, gpu, { tf32, streams });
}

/** Captures by any call: cuBLAS may load a kernel when it first needs it. */
const CAPTURE_RELAXED = 2;

/** The context that the driver takes calls for: it is one for each thread. */
let current: bigint | undefined;

/** CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
const MOST_SHARED_BYTES = 8;
/**
 * CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: how much of the shared memory that a multiprocessor can have it
 * gets. The rest is cache, in which what is read from memory arrives: with little of it, little is on its way.
 */
const SHARED_PERCENT = 9;
/** Shared memory that every block has besides. */
const SYSTEM_BYTES = 1024;

class CudaKernel implements Kernel {
  /** Dynamic shared memory that it may be launched with so far. */
  sharedBytes = 0;

  constructor(
    readonly name: string,
    readonly handle: bigint,
  ) {}
}

class CudaDevice implements Device {
  readonly name: string;
  readonly capability: readonly [number, number];
  readonly multiprocessors: Multiprocessors;
  readonly memory: number;
  readonly precision: Precision;
  readonly #toolkit: Toolkit;
  readonly #ordinal: number;
  readonly #context: bigint;
  readonly #streams: Streams;
  readonly #stream: bigint;
  readonly #staging: Staging;
  readonly #allocated = new Set<Pointer>();
  readonly #modules: bigint[] = [];
  /** Values of a kernel's arguments, and where each lies. The driver copies them at every launch. */
  #values = new BigUint64Array(0);
  #places = new BigUint64Array(0);
  /** Where work is issued now. */
  #current: ComputeStream;
  #capturing = false;
  #closed = false;

  constructor(
    toolkit: Toolkit,
    { index, name, capability, multiprocessors, memory }: Gpu,
    { tf32, streams }: Required<Pick<DeviceOptions, "tf32" | "streams">>,
  ) {
    const { ffi, driver, cublas } = toolkit;
    this.#toolkit = toolkit;
    this.name = name;
    this.capability = capability;
    this.multiprocessors = multiprocessors;
    this.memory = memory;
    this.#ordinal = received((into) => driver.cuDeviceGet(into, index));
    this.#context = received64((into) => driver.cuDevicePrimaryCtxRetain(into, this.#ordinal));
    driver.cuCtxSetCurrent(this.#context);
    current = this.#context;
    const allocate = (bytes: number) => this.allocate(bytes);
    this.#streams = openStreams(driver, cublas, { count: streams, tf32, allocate });
    this.#current = this.#streams.main;
    this.precision = tf32 ? "tf32" : "fp32";
    this.#stream = this.#current.stream;
    this.#staging = openStaging(ffi, driver, this.#stream, () => this.event());
  }

  /** The driver, with this device's context in place. */
  #activate(): Driver {
    if (this.#closed) throw new DeviceError(`${this.name} is closed`);
    const { driver } = this.#toolkit;
    if (current !== this.#context) {
      driver.cuCtxSetCurrent(this.#context);
      current = this.#context;
    }
    return driver;
  }

  allocate(bytes: number): Pointer {
    const driver = this.#activate();
    try {
      const pointer = received64((into) => driver.cuMemAlloc_v2(into, Math.max(1, bytes)));
      this.#allocated.add(pointer);
      return pointer;
    } catch (error) {
      const total = new BigUint64Array(1);
      const free = received64((into) => driver.cuMemGetInfo_v2(into, total));
      const wanted = `${gibibytes(bytes)} wanted, ${gibibytes(Number(free))} free`;
      throw new DeviceError(`${this.name}: ${wanted}: ${(error as Error).message}`);
    }
  }

  free(pointer: Pointer): void {
    if (!this.#allocated.delete(pointer))
      throw new DeviceError(`${pointer} was not allocated on ${this.name}`);
    this.#activate().cuMemFree_v2(pointer);
  }

  upload(to: Pointer, values: ArrayBufferView): void {
    this.#activate();
    if (this.#capturing) throw new DeviceError("an upload cannot be part of a graph");
    if (values.byteLength > 0) this.#staging.upload(to, values);
  }

  download(from: Pointer, into: ArrayBufferView): void {
    const driver = this.#activate();
    if (this.#capturing) throw new DeviceError("a download cannot be part of a graph");
    if (into.byteLength > 0) driver.cuMemcpyDtoHAsync_v2(into, from, into.byteLength, this.#stream);
    driver.cuStreamSynchronize(this.#stream);
  }

  zero(to: Pointer, bytes: number): void {
    if (bytes > 0) this.#activate().cuMemsetD8Async(to, 0, bytes, this.#current.stream);
  }

  copy(to: Pointer, from: Pointer, bytes: number): void {
    if (bytes > 0) this.#activate().cuMemcpyDtoDAsync_v2(to, from, bytes, this.#current.stream);
  }

  prepare(sources: readonly string[]): Promise<void> {
    return prepareCached(this.#toolkit.nvrtc, sources, this.#target);
  }

  compile(source: string, names: readonly string[]): ReadonlyMap<string, Kernel> {
    const driver = this.#activate();
    const image = compileCached(this.#toolkit.nvrtc, source, this.#target);
    const module = received64((into) => driver.cuModuleLoadData(into, image));
    this.#modules.push(module);
    return new Map(
      names.map((name) => {
        const handle = received64((into) => driver.cuModuleGetFunction(into, module, name));
        return [name, new CudaKernel(name, handle)];
      }),
    );
  }

  /** What kernels are compiled for. */
  get #target(): string {
    return targetFor(this.capability, this.#toolkit.nvrtc.architectures);
  }

  launch(
    kernel: Kernel,
    [x, y, z]: readonly [number, number, number],
    block: number,
    pointers: readonly Pointer[],
    sharedBytes = 0,
    resident = 1,
  ): void {
    const driver = this.#activate();
    if (!(kernel instanceof CudaKernel)) throw new DeviceError(`${kernel.name} is no kernel of a device`);
    const places = this.#argumentPlaces(pointers);
    const { handle } = kernel;
    try {
      if (sharedBytes > kernel.sharedBytes) {
        driver.cuFuncSetAttribute(handle, MOST_SHARED_BYTES, sharedBytes);
        const wanted = resident * (sharedBytes + SYSTEM_BYTES);
        const percent = Math.ceil((100 * wanted) / this.multiprocessors.shared);
        driver.cuFuncSetAttribute(handle, SHARED_PERCENT, Math.min(100, percent));
        kernel.sharedBytes = sharedBytes;
      }
      driver.cuLaunchKernel(handle, x, y, z, block, 1, 1, sharedBytes, this.#current.stream, places, null);
    } catch (error) {
      throw new DeviceError(`kernel ${kernel.name}, grid ${x} x ${y} x ${z}: ${(error as Error).message}`);
    }
  }

  /** Writes the arguments of a launch and returns where each of them lies. */
  #argumentPlaces(pointers: readonly Pointer[]): BigUint64Array {
    if (this.#values.length < pointers.length) {
      const room = Math.max(32, 2 * pointers.length);
      // Of buffers, since these never move.
      this.#values = new BigUint64Array(new ArrayBuffer(8 * room));
      const first = this.#toolkit.ffi.address(this.#values);
      this.#places = new BigUint64Array(new ArrayBuffer(8 * room)).map((_, i) => first + 8n * BigInt(i));
    }
    this.#values.set(pointers);
    return this.#places;
  }

  multiply(product: StridedProduct): void {
    this.#activate();
    this.#current.multiplier.multiply(product);
  }

  placeTogether(products: readonly StridedProduct[]): ProductTable | undefined {
    if (this.precision === "tf32") return undefined; // tensor cores want addresses that are multiples of 16
    const addresses = matrixAddresses(products);
    const pointer = this.allocate(addresses.byteLength);
    this.upload(pointer, addresses);
    return { addresses: pointer, count: addresses.length / 3, alike: products[0] };
  }

  multiplyAll({ addresses, count, alike }: ProductTable): void {
    this.#activate();
    this.#current.multiplier.multiplyAt(addresses, count, alike);
  }

  concurrently(tasks: readonly (() => void)[]): void {
    this.#activate();
    if (this.#current !== this.#streams.main)
      throw new DeviceError("concurrent work cannot be divided again");
    this.#streams.fork(tasks, (stream) => {
      this.#current = stream;
    });
  }

  capture(record: () => void): Graph {
    const driver = this.#activate();
    if (this.#capturing) throw new DeviceError("a graph is being captured already");
    driver.cuStreamBeginCapture_v2(this.#stream, CAPTURE_RELAXED);
    this.#capturing = true;
    const end = () => {
      this.#capturing = false;
      return received64((into) => driver.cuStreamEndCapture(this.#stream, into));
    };
    try {
      record();
    } catch (error) {
      try {
        driver.cuGraphDestroy(end());
      } catch {
        // what went wrong first says more
      }
      throw error;
    }
    return this.#instantiate(end());
  }

  #instantiate(graph: bigint): Graph {
    const driver = this.#activate();
    const executable = received64((into) => driver.cuGraphInstantiateWithFlags(into, graph, 0));
    driver.cuGraphDestroy(graph);
    let open = true;
    return {
      launch: () => {
        if (!open) throw new DeviceError("the graph is closed");
        this.#activate().cuGraphLaunch(executable, this.#stream);
      },
      close: () => {
        if (open && !this.#closed) this.#activate().cuGraphExecDestroy(executable);
        open = false;
      },
    };
  }

  event(): DeviceEvent {
    return openEvent(
      () => this.#activate(),
      this.#stream,
      () => this.#capturing,
    );
  }

  synchronise(): Promise<void> {
    return until(() => this.#activate().isIdle(this.#stream));
  }

  close(): void {
    if (this.#closed) return;
    const driver = this.#activate();
    driver.cuStreamSynchronize(this.#stream);
    this.#staging.close();
    this.#streams.close();
    for (const module of this.#modules) driver.cuModuleUnload(module);
    for (const pointer of this.#allocated) driver.cuMemFree_v2(pointer);
    driver.cuDevicePrimaryCtxRelease_v2(this.#ordinal);
    this.#closed = true;
    current = undefined;
  }
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}
