/** The kernels of assembly/ by name: each does items `from` to `to - 1` of its work. */
export type Kernels = Readonly<Record<string, (from: number, to: number, ...rest: number[]) => void>>;

/** Items `from` to `to - 1`. */
export interface Items {
  readonly from: number;
  readonly to: number;
}

/**
 * Those who run kernels. The items of one call are independent of each other, and no sum runs across them:
 * the result has the same bits for any number of threads and any split.
 */
export interface ThreadPool {
  /** Runs a kernel over items, in blocks of `block` where there are several threads. */
  run(kernel: string, items: Items, block: number, rest: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

/** How to get a pool for a memory; `shared` says whether that memory must be one that threads can share. */
export interface Threads {
  readonly shared: boolean;
  start(module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<ThreadPool>;
}

export async function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): Promise<Kernels> {
  const instance = await WebAssembly.instantiate(module, { env: { memory } });
  return instance.exports as unknown as Kernels;
}

/** Works in the caller's thread, everywhere, also in a page without cross-origin isolation. */
export const inlineThreads: Threads = {
  shared: false,
  async start(module, memory) {
    const kernels = await instantiate(module, memory);
    return {
      run: async (kernel, { from, to }, _block, rest) => kernels[kernel](from, to, ...rest),
      close: async () => {},
    };
  },
};
