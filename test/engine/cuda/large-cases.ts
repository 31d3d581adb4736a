import * as ops from "../../../src/engine/operations.js";
import type { Tensor } from "../../../src/engine/program.js";
import type { Shape } from "../../../src/engine/shape.js";

type Case = readonly [title: string, shapes: readonly Shape[], build: (xs: readonly Tensor[]) => Tensor[]];

/** Programs large enough, or of the right form, for what the compiler does not do with small ones. */
export const LARGE: readonly Case[] = [
  [
    "long sums along and across memory",
    [[5, 3000, 3]],
    ([x]) => [ops.sum(x), ops.sum(x, [1]), ops.sum(ops.multiply(x, x), [0, 2]), ops.sum(x, [1, 2])],
  ],
  [
    "a masked gradient with its sums over rows, in one pass",
    [
      [3, 2000, 5],
      [3, 2000, 5],
    ],
    ([g, h]) => {
      const masked = ops.multiply(g, ops.step(h));
      return [masked, ops.sum(masked, [1]), ops.matmul(masked, masked, { transposeA: true })];
    },
  ],
  [
    "products over many points with a small result",
    [
      [2, 6, 2048],
      [2, 2048, 7],
      [2048, 6],
    ],
    ([a, b, shared]) => {
      const left = ops.tanh(a);
      return [
        ops.matmul(left, b),
        ops.matmul(b, left, { transposeA: true, transposeB: true }),
        ops.matmul(shared, b, { transposeA: true }),
        ops.matmul(ops.relu(shared), b, { transposeA: true }),
      ];
    },
  ],
  [
    "products over an axis that cannot be divided, with sums of both factors, of one tile and of many",
    [
      [3, 7, 1543],
      [3, 1543, 6],
      [3, 16, 911],
      [3, 911, 12],
      [5, 5, 797],
      [5, 128, 797],
      [5, 65, 389],
      [5, 389, 57],
    ],
    ([small, one, full, beside, left, wide, high, other]) => [
      ops.matmul(small, one),
      ops.sum(small, [2]),
      ops.sum(one, [1]),
      ops.matmul(full, beside),
      ops.sum(full, [2]),
      ops.sum(beside, [1]),
      ops.matmul(left, wide, { transposeB: true }),
      ops.sum(left, [2]),
      ops.sum(wide, [2]),
      ops.matmul(high, other),
    ],
  ],
  [
    "products of factors that some of a batch share",
    [
      [2, 1, 9, 6],
      [2, 3, 9, 7],
      [2, 1, 7, 8],
      [3, 6, 9],
    ],
    ([shared, own, right, left]) => [
      ops.matmul(shared, own, { transposeA: true }),
      ops.matmul(ops.tanh(own), right),
      ops.matmul(left, own),
      ops.matmul(ops.matmul(own, right), shared, { transposeA: true }),
    ],
  ],
  [
    "large results of small ones that are stored as well",
    [
      [4, 2, 7],
      [9400, 2],
    ],
    ([w, points]) => {
      const moved = ops.subtract(w, ops.multiply(0.1, ops.tanh(w)));
      return [moved, ops.sum(ops.relu(ops.matmul(points, moved)), [1])];
    },
  ],
  [
    "a chain of convolutions that widen and narrow a field",
    [
      [2, 3, 9, 8],
      [5, 3, 3, 3],
      [5, 2, 4, 4],
    ],
    ([x, first, second]) => {
      const y = ops.leakyRelu(ops.convolve(x, first, { strides: [2, 2], padding: [1, 1] }), 0.2);
      const z = ops.convolveBack(y, second, [10, 8], { strides: [2, 2], padding: [1, 1] });
      const mean = ops.mean(z, [2, 3], { keep: true });
      return [ops.tanh(ops.subtract(z, mean))];
    },
  ],
  [
    "convolutions of clients that have kernels of their own, and normalised fields",
    [
      [2, 3, 2, 7, 6],
      [2, 4, 2, 3, 3],
      [2, 4, 2, 4, 4],
      [2, 2, 2, 8, 6],
    ],
    ([x, first, second, third]) => {
      const y = ops.leakyRelu(ops.convolve(x, first, { strides: [2, 2], padding: [1, 1] }), 0.2);
      const z = ops.convolveBack(y, second, [8, 6], { strides: [2, 2], padding: [1, 1] });
      const mean = ops.mean(z, [-2, -1], { keep: true });
      return [ops.convolve(ops.tanh(ops.subtract(z, mean)), third)];
    },
  ],
  [
    "convolutions of large fields, of which the places are divided for the gradient of their kernels",
    [
      [2, 1, 2, 32, 36],
      [2, 3, 2, 3, 3],
    ],
    ([x, kernel]) => [ops.tanh(ops.convolve(x, kernel, { padding: [1, 1] }))],
  ],
  [
    "convolutions of fields whose places cannot be divided, and of many channels at few places",
    [
      [2, 2, 2, 29, 31],
      [2, 5, 2, 3, 3],
      [2, 2, 30, 5, 6],
      [2, 6, 30, 3, 3],
    ],
    ([x, kernel, channels, deep]) => [
      ops.tanh(ops.convolve(x, kernel, { padding: [1, 1] })),
      ops.tanh(ops.convolve(channels, deep, { padding: [1, 1] })),
    ],
  ],
  [
    "convolutions over whole fields, and from one place, of clients and of one alone",
    [
      [2, 6, 8, 8, 8],
      [2, 5, 8, 8, 8],
      [2, 5, 3, 4, 4],
      [6, 8, 8, 8],
      [5, 8, 8, 8],
    ],
    ([x, whole, from, alone, shared]) => {
      const y = ops.leakyRelu(ops.convolve(x, whole), 0.2);
      const other = ops.tanh(ops.convolve(alone, shared));
      const field = ops.convolveBack(y, from, [4, 4]);
      const cropped = ops.convolveBack(y, from, [2, 2], { padding: [1, 1] });
      return [field, cropped, ops.multiply(y, ops.reshape(other, [1, 6, 5, 1, 1]))];
    },
  ],
  [
    "transposed convolutions of few channels into fields with a margin",
    [
      [2, 3, 1, 6, 7],
      [2, 1, 4, 3, 3],
      [2, 3, 3, 3, 3],
      [2, 3, 2, 4, 4],
      [2, 3, 4, 10, 9],
    ],
    ([one, flat, three, deep, h]) => {
      const field = ops.convolveBack(ops.tanh(one), flat, [6, 7], { padding: [1, 1] });
      const wide = ops.multiply(ops.pad(ops.pad(field, -1, 1, 1), -2, 2, 2), ops.leakySlope(h, 0.2));
      const doubled = ops.convolveBack(three, deep, [6, 6], { strides: [2, 2], padding: [1, 1] });
      return [wide, ops.sum(wide, [-2, -1]), ops.exp(doubled)];
    },
  ],
  [
    "convolutions along one axis, by single places and by two, of which kernels of ours take patches",
    [
      [2, 2, 5, 40, 10],
      [2, 6, 5, 3, 1],
      [2, 7, 6, 3, 1],
    ],
    ([x, first, second]) => {
      const y = ops.leakyRelu(ops.convolve(x, first, { strides: [2, 1], padding: [1, 0] }), 0.2);
      return [ops.tanh(ops.convolve(y, second, { padding: [1, 0] }))];
    },
  ],
  [
    "convolutions of so many channels that all tiles of their kernels' gradients are full",
    [
      [2, 1, 32, 19, 8],
      [2, 16, 32, 4, 1],
    ],
    ([x, kernel]) => [ops.tanh(ops.convolve(x, kernel, { padding: [1, 0] }))],
  ],
  [
    "vectors that are cut, changed and joined again",
    [[3, 12]],
    ([x]) => {
      const part = (from: number, to: number) => ops.slice(x, 1, from, to);
      const whole = ops.concat(
        [ops.tanh(part(0, 5)), part(5, 7), ops.sum(part(7, 12), [1], { keep: true })],
        1,
      );
      const twice = ops.exp(part(3, 6));
      const negative = ops.negate(whole);
      return [ops.concat([whole, negative, negative, twice, twice], 1), ops.transpose(whole)];
    },
  ],
];

/** Programs that only a GPU, or a processor that does as one, computes in a few seconds. */
export const LARGEST: readonly Case[] = [
  [
    "wide layers of which rows are added up, with weights of their own and shared",
    [
      [2, 8448, 8],
      [2, 8, 32],
      [2, 1, 32],
      [2, 32, 2],
      [8, 64],
      [64, 1],
    ],
    ([x, weights, bias, last, shared, other]) => [
      ops.matmul(ops.gelu(ops.add(ops.matmul(x, weights), bias)), last),
      ops.matmul(ops.tanh(ops.matmul(x, shared)), other),
    ],
  ],
];
