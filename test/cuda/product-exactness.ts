import { expect, it } from "vitest";
import { type PlanOptions, planOf } from "../../src/engine/cuda/compile-plan.js";
import { cudaBackend } from "../../src/engine/cuda/cuda-backend.js";
import type { Device } from "../../src/engine/cuda/device/device.js";
import { hasBatchedSmallKernel } from "../../src/engine/cuda/kernels/gemm-batched-small/kernel.js";
import { canAddUp } from "../../src/engine/cuda/kernels/gemm-tall-skinny/lines.js";
import { canSumFactors, hasKernel } from "../../src/engine/cuda/kernels/matrix-kernel.js";
import type { Product } from "../../src/engine/cuda/plan/layout/products.js";
import { isOwn } from "../../src/engine/cuda/plan/plan.js";
import { add, matmul, relu, sum } from "../../src/engine/operations.js";
import { Program } from "../../src/engine/program.js";
import { stream } from "../../src/random/stream.js";

export interface ProductCase {
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  readonly batch: number;
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
  /** Whether all matrices have the same right factor. */
  readonly sharedB?: boolean;
}

/** Numbers from -1 to 1. */
export function numbers(length: number, ...names: readonly (string | number)[]): Float32Array {
  const random = stream(0, "products", ...names);
  return Float32Array.from({ length }, () => 2 * random.uniform() - 1);
}

function furthest(actual: ArrayLike<number>, expected: Float64Array): number {
  expect(actual.length).toBe(expected.length);
  return expected.reduce((most, value, i) => Math.max(most, Math.abs(actual[i] - value)), 0);
}

/** Lines are added up by all kernels that can, fast or not. */
function optionsFor({ multiprocessors }: Device): PlanOptions {
  const isTall = (product: Product) =>
    hasKernel(product, multiprocessors) &&
    !canSumFactors(product, multiprocessors) &&
    !hasBatchedSmallKernel(product, multiprocessors);
  return {
    processors: multiprocessors.processors,
    hasKernel: (product) => hasKernel(product, multiprocessors),
    canSumFactors: (product) => canSumFactors(product, multiprocessors),
    canReduceLines: (product, lines) => isTall(product) && product.columns <= 128 && canAddUp(product, lines),
  };
}

/** Tests that kernels of ours compute such products. */
export function exactnessTests(device: () => Device, cases: readonly ProductCase[]): void {
  it.each(cases)(
    "is as exact as float32 with what rides on it, and the same twice: $rows x $columns over $inner",
    async (one) => {
      const { rows, columns, inner, batch, transposeA = false, transposeB = false, sharedB = false } = one;
      const shapeA = [batch, ...(transposeA ? [inner, rows] : [rows, inner])];
      const shapeB = [...(sharedB ? [] : [batch]), ...(transposeB ? [columns, inner] : [inner, columns])];
      const size = (shape: readonly number[]) => shape.reduce((product, length) => product * length, 1);
      const values = {
        a: numbers(size(shapeA), "a", rows),
        b: numbers(size(shapeB), "b", rows),
        rest: numbers(batch * rows * columns, "rest", rows),
      };
      const program = new Program();
      const [a, b] = [program.input("a", shapeA), program.input("b", shapeB)];
      const product = matmul(a, b, { transposeA, transposeB });
      const rest = program.input("rest", [batch, rows, columns]);
      program.output("bare", product);
      const ridden = relu(add(product, rest));
      program.output("y", ridden);
      program.output("alongRows", sum(ridden, [2]));
      program.output("alongColumns", sum(ridden, [1]));
      program.output("rowSums", sum(a, [transposeA ? 1 : 2]));
      program.output("columnSums", sum(b, [b.shape.length - (transposeB ? 1 : 2)]));
      const options = optionsFor(device());
      const [own, ...others] = planOf(program, options).steps.filter(isOwn);
      expect(others).toEqual([]);
      expect(own.sums).toHaveLength(inner >= 320 ? 2 : 0);
      const isAdded = inner < 300 && rows >= 256 && rows % 16 === 0 && columns % 4 === 0;
      expect(own.lines).toHaveLength(isAdded ? (columns > 8 ? 2 : 1) : 0);

      const executable = await cudaBackend(device(), options).compile(program);
      const first = await executable.run(values);
      const again = await executable.run(values);
      expect(Buffer.compare(Buffer.from(first.y.buffer), Buffer.from(again.y.buffer))).toBe(0);
      const factorSums = (name: "a" | "b", count: number, isInnerFirst: boolean) => {
        const sums = new Float64Array(values[name].length / inner);
        values[name].forEach((value, at) => {
          const place = isInnerFirst ? at % count : Math.floor(at / inner) % count;
          sums[Math.floor(at / (inner * count)) * count + place] += value;
        });
        return sums;
      };
      // Of the sum of the terms' sizes, as of the products: about half of one each.
      const tolerance = 1e-6 * (inner / 2);
      expect(furthest(first.rowSums, factorSums("a", rows, transposeA))).toBeLessThan(tolerance);
      expect(furthest(first.columnSums, factorSums("b", columns, !transposeB))).toBeLessThan(tolerance);
      const zeros = () => ({
        alongRows: new Float64Array(batch * rows),
        alongColumns: new Float64Array(batch * columns),
      });
      const [lines, sizes] = [zeros(), zeros()];
      let worst = 0;
      for (let n = 0; n < batch; n++)
        for (let row = 0; row < rows; row++)
          for (let column = 0; column < columns; column++) {
            let [sum, largest] = [0, 0];
            for (let k = 0; k < inner; k++) {
              const left = values.a[n * rows * inner + (transposeA ? k * rows + row : row * inner + k)];
              const matrix = sharedB ? 0 : n * inner * columns;
              const right = values.b[matrix + (transposeB ? column * inner + k : k * columns + column)];
              sum += left * right;
              largest += Math.abs(left * right);
            }
            const at = (n * rows + row) * columns + column;
            const y = Math.max(0, sum + values.rest[at]);
            const isOf = { alongRows: n * rows + row, alongColumns: n * columns + column };
            for (const name of ["alongRows", "alongColumns"] as const) {
              lines[name][isOf[name]] += y;
              sizes[name][isOf[name]] += largest + 1;
            }
            worst = Math.max(
              worst,
              Math.abs(first.bare[at] - sum) / largest,
              Math.abs(first.y[at] - y) / (largest + 1),
            );
          }
      expect(worst).toBeLessThan(1.5e-6);
      // Most of the errors in a line have either sign; those of tensor cores, which cut off, have one and add up.
      for (const [name, length] of [
        ["alongRows", columns],
        ["alongColumns", rows],
      ] as const) {
        const beyond = lines[name].map(
          (sum, at) => Math.abs(first[name][at] - sum) - 1.5e-7 * sizes[name][at],
        );
        expect(Math.max(...beyond)).toBeLessThan(1e-6 * length * Math.sqrt(inner));
      }
      await executable.close();
    },
  );
}
