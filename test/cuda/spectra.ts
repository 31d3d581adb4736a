import { expect, it } from "vitest";
import { cudaBackend } from "../../src/engine/cuda/cuda-backend.js";
import type { Device } from "../../src/engine/cuda/device/device.js";
import { hasBatchedSmallKernel } from "../../src/engine/cuda/kernels/gemm-batched-small/kernel.js";
import { canFuseSecondProduct } from "../../src/engine/cuda/kernels/matrix-kernel.js";
import type { Product } from "../../src/engine/cuda/plan/layout/products.js";
import { gradient } from "../../src/engine/gradient.js";
import * as ops from "../../src/engine/operations.js";
import type { Tensor } from "../../src/engine/program.js";
import type { Shape } from "../../src/engine/shape.js";
import { expectTwice } from "../engine/evaluation.js";

/** Spectra of many frequencies, each with a complex matrix of its own. */
export interface SpectraCase {
  readonly clients: number;
  readonly frequencies: number;
  readonly samples: number;
  readonly from: number;
  readonly to: number;
  /** Whether clients have the same weights. */
  readonly shared?: boolean;
}

/** Numbers of a client's weights that are others': its matrices begin anywhere. */
const OTHERS = 3;

/** Shapes of spectra, real parts before imaginary ones, and of all weights of each client. */
export function spectraShapes({ clients, frequencies, samples, from, to, shared }: SpectraCase): Shape[] {
  const size = OTHERS + 2 * frequencies * from * to;
  return [[clients, frequencies, 2 * samples, from], shared ? [size] : [clients, size]];
}

/** Spectra times their matrices, and gradients by both. */
export function mixedSpectra({ frequencies, samples, from, to }: SpectraCase) {
  return ([spectra, weights]: readonly Tensor[]): Tensor[] => {
    const size = frequencies * from * to;
    const matrices = (part: 0 | 1) => {
      const own = ops.slice(weights, -1, OTHERS + part * size, OTHERS + (part + 1) * size);
      return ops.reshape(own, [...weights.shape.slice(0, -1), frequencies, from, to]);
    };
    const part = (which: 0 | 1) => ops.slice(spectra, -2, which * samples, (which + 1) * samples);
    const timesI = ops.concat([ops.negate(part(1)), part(0)], -2);
    const y = ops.add(ops.matmul(spectra, matrices(0)), ops.matmul(timesI, matrices(1)));
    return [y, ...gradient(ops.sum(ops.multiply(y, ops.tanh(y))), [spectra, weights])];
  };
}

/** Tests that the products of each frequency are one, by the kernel of small matrices, and the same twice. */
export function spectraTests(device: () => Device, cases: readonly SpectraCase[]): void {
  it.each(cases)(
    "mixes $clients x $frequencies frequencies of $samples samples from $from channels to $to",
    async (one) => {
      const { multiprocessors } = device();
      const taken = new Set<Product>();
      const backend = cudaBackend(device(), {
        canFuseSecondProduct: (product) => {
          if (hasBatchedSmallKernel(product, multiprocessors)) taken.add(product);
          return canFuseSecondProduct(product, multiprocessors);
        },
      });
      const [shapes, build] = [spectraShapes(one), mixedSpectra(one)];
      await expectTwice(build, shapes, "spectra", backend);
      expect(taken.size).toBe(1);
    },
  );
}
