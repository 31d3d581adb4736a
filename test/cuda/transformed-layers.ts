import { expect, it } from "vitest";
import { cudaBackend } from "../../src/engine/cuda/cuda-backend.js";
import type { Device } from "../../src/engine/cuda/device/device.js";
import { hasTransformedKernel } from "../../src/engine/cuda/kernels/transformed/tiling.js";
import * as ops from "../../src/engine/operations.js";
import type { Tensor } from "../../src/engine/program.js";
import type { Shape } from "../../src/engine/shape.js";
import { expectTwice } from "../engine/evaluation.js";

/** Lines of fields with 32 channels, of which some frequencies are known and others wanted. */
export interface FieldCase {
  readonly clients: number;
  readonly lines: number;
  readonly points: number;
  readonly samples: number;
  readonly known: number;
  readonly wanted: number;
  /** Whether clients have the same weights. */
  readonly shared?: boolean;
  /** Whether there is no layer at each point. */
  readonly bare?: boolean;
  /** Whether matrices are given with rows and columns exchanged, as on the way back. */
  readonly turned?: boolean;
}

const CHANNELS = 32;

/** Shapes of both transforms, spectra, fields, weights, bias, and of what another layer has left of each element. */
export function fieldShapes(one: FieldCase): Shape[] {
  const { clients, lines, points, samples, known, wanted, shared, turned } = one;
  const all = [clients, lines * points * samples, CHANNELS];
  return [
    turned ? [known, points] : [points, known],
    turned ? [points, wanted] : [wanted, points],
    [clients, lines, known, samples * CHANNELS],
    all,
    [...(shared ? [] : [clients]), CHANNELS, CHANNELS],
    [CHANNELS],
    all,
  ];
}

/** A layer with what it is before its activation, or times another one's slope, and the transform of that along lines. */
export function layerWithTransform(one: FieldCase, asBack = one.turned) {
  const { clients, lines, points, samples, bare, turned } = one;
  return ([back, forth, spectra, fields, weights, bias, before]: readonly Tensor[]): Tensor[] => {
    const spectral = ops.reshape(ops.matmul(back, spectra, { transposeA: turned }), before.shape);
    const y = bare ? spectral : ops.add(ops.matmul(fields, weights, { transposeB: turned }), spectral);
    const done = asBack ? ops.multiply(y, ops.gelu(ops.add(before, bias))) : ops.gelu(ops.add(y, bias));
    const field = ops.reshape(done, [clients, lines, points, samples * CHANNELS]);
    return [...(asBack ? [] : [y]), done, ops.matmul(forth, field, { transposeA: turned })];
  };
}

/** Tests that a layer and the transform of what becomes of it are one kernel, which gives the same twice. */
export function transformedTests(device: () => Device, cases: readonly FieldCase[]): void {
  it.each(cases)(
    "takes $clients x $lines lines of $points points from $known frequencies to $wanted, in one kernel: %o",
    async (one) => {
      let joined = 0;
      const backend = cudaBackend(device(), {
        hasTransformedKernel: (layer) => {
          const hasKernel = hasTransformedKernel(layer, device().multiprocessors);
          if (hasKernel) joined++;
          return hasKernel;
        },
      });
      const shapes = fieldShapes(one);
      const build = layerWithTransform(one);
      await expectTwice(build, shapes, "fields", backend);
      expect(joined).toBe(1);
    },
  );
}
