import type { Passes } from "./tensor-cores.js";

/**
 * The body of a kernel whose pointers `a` and `b` are to the first elements of the factors, `c` and `d` to those of other
 * products that it computes, and how it is launched.
 */
export interface KernelBody {
  readonly text: string;
  readonly blocks: readonly [number, number, number];
  readonly threads: number;
  /** Blocks that a multiprocessor should have room for: a limit to the registers of a thread. */
  readonly resident: number;
  /** Shared memory whose size is told at the launch. */
  readonly sharedBytes: number;
}

/** What a product's kernel is made for. */
export interface Multiprocessors {
  readonly processors: number;
  /** Bytes of shared memory of each, and those that a block may have. */
  readonly shared: number;
  readonly blockShared: number;
}

/** How products are computed, and on what. */
export interface Target {
  readonly passes?: Passes;
  readonly multiprocessors?: Multiprocessors;
}

/** NVIDIA's H100 and H200. */
export const HOPPER: Multiprocessors = { processors: 132, shared: 228 * 1024, blockShared: 227 * 1024 };
