import { expect, it } from "vitest";
import { type Device, openDevice, type Pointer } from "../../src/engine/cuda/device/device.js";
import { describeOnDevice } from "./gpu.js";
import { multiplied, type PlainProduct, type ProductShape, plainProduct } from "./plain-product.js";

const KERNELS = `
extern "C" __global__ void add(const float *a, const float *b, float *c) {
  unsigned i = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  i = i * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];
}
extern "C" __global__ void divide(const float *a, const float *b, float *c) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] / b[i];
}
extern "C" __global__ void sum40(${Array.from({ length: 40 }, (_, i) => `const float *p${i}`).join(", ")}, float *c) {
  c[threadIdx.x] = ${Array.from({ length: 40 }, (_, i) => `p${i}[threadIdx.x]`).join(" + ")};
}
extern "C" __global__ void reversed(const float *a, float *c) {
  extern __shared__ float kept[];
  for (unsigned i = threadIdx.x; i < 20000; i += blockDim.x) kept[i] = a[i];
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 20000; i += blockDim.x) c[i] = kept[19999 - i];
}`;

const PLAIN = { batch: 1, transposedA: false, transposedB: false, beta: 0, gap: 0, sharedB: false } as const;

/** Products of many shapes: those of training, single rows and columns, gaps between rows, shared operands. */
const SHAPES: readonly ProductShape[] = [
  { ...PLAIN, rows: 64, columns: 40, inner: 100 },
  ...[false, true].flatMap((transposedA) =>
    [false, true].flatMap((transposedB) =>
      ([0, 1] as const).flatMap((beta) => [
        { ...PLAIN, transposedA, transposedB, beta, rows: 17, columns: 5, inner: 9, batch: 3, gap: 4 },
        {
          ...PLAIN,
          transposedA,
          transposedB,
          beta,
          rows: 64,
          columns: 64,
          inner: 101,
          batch: 10,
          sharedB: true,
        },
        { ...PLAIN, transposedA, transposedB, beta, rows: 1, columns: 33, inner: 20, batch: 2, gap: 1 },
        { ...PLAIN, transposedA, transposedB, beta, rows: 33, columns: 1, inner: 20, batch: 2, gap: 1 },
        { ...PLAIN, transposedA, transposedB, beta, rows: 33, columns: 20, inner: 1, batch: 2, gap: 1 },
        { ...PLAIN, transposedA, transposedB, beta, rows: 1, columns: 1, inner: 77, batch: 4 },
        { ...PLAIN, transposedA, transposedB, beta, rows: 1, columns: 1, inner: 1, batch: 1 },
      ]),
    ),
  ),
  { ...PLAIN, rows: 1021, columns: 64, inner: 64, batch: 10 },
  { ...PLAIN, rows: 100, columns: 100, inner: 1021, batch: 10, transposedA: true },
];

/** As `toEqual`, for millions of numbers. */
function sameBits(a: Float32Array, b: Float32Array): boolean {
  return Buffer.from(a.buffer).equals(Buffer.from(b.buffer));
}

describeOnDevice("a GPU", (device) => {
  const placed = (values: ArrayBufferView): Pointer => {
    const pointer = device().allocate(values.byteLength);
    device().upload(pointer, values);
    return pointer;
  };
  const fetched = (pointer: Pointer, length: number): Float32Array => {
    const values = new Float32Array(length);
    device().download(pointer, values);
    return values;
  };
  const ramp = (length: number, step = 1) => Float32Array.from({ length }, (_, i) => i * step);

  it("says what it is", () => {
    expect(device().name).toMatch(/\S/);
    expect(device().capability[0]).toBeGreaterThanOrEqual(5);
    expect(device().memory).toBeGreaterThan(2 ** 30);
  });

  it.each([1, 3, 1000, 2 ** 20 + 1, 6 * 2 ** 20])("gives back %i numbers as they were", (length) => {
    const values = ramp(length, 0.5);
    const pointer = placed(values);
    expect(sameBits(fetched(pointer, length), values)).toBe(true);
    device().free(pointer);
  });

  it("takes an array as it was at the call, also when hundreds wait to be copied", () => {
    const values = new Float32Array(2 ** 16);
    const pointers = Array.from({ length: 300 }, (_, i) => placed(values.fill(i)));
    pointers.forEach((pointer, i) => {
      const back = fetched(pointer, values.length);
      expect([back[0], back[values.length - 1]]).toEqual([i, i]);
      device().free(pointer);
    });
  });

  it("copies and zeroes parts of its memory", () => {
    const from = placed(ramp(10));
    const to = placed(new Float32Array(10).fill(7));
    device().copy(to + 8n, from + 4n, 12);
    device().zero(to, 4);
    expect([...fetched(to, 10)]).toEqual([0, 7, 1, 2, 3, 7, 7, 7, 7, 7]);
  });

  it.each([
    [[1, 1, 1], 1],
    [[1, 1, 1], 1024],
    [[1000, 1, 1], 32],
    [[3, 5, 7], 96],
    [[1, 65535, 1], 1],
    [[2, 1, 200], 256],
  ] as const)("launches a grid of %j with %i threads each", (grid, block) => {
    const { add } = kernels("add");
    const length = grid[0] * grid[1] * grid[2] * block;
    const [a, b, c] = [placed(ramp(length)), placed(ramp(length, 2)), placed(new Float32Array(length))];
    device().launch(add, grid, block, [a, b, c]);
    expect(
      sameBits(
        fetched(c, length),
        ramp(length).map((x) => x + 2 * x),
      ),
    ).toBe(true);
    for (const pointer of [a, b, c]) device().free(pointer);
  });

  it("launches kernels of many arguments", () => {
    const { sum40 } = kernels("sum40");
    const parts = Array.from({ length: 40 }, (_, i) => placed(new Float32Array(32).fill(i)));
    const c = placed(new Float32Array(32));
    device().launch(sum40, [1, 1, 1], 32, [...parts, c]);
    expect(fetched(c, 32)).toEqual(new Float32Array(32).fill(780));
  });

  it("launches kernels with more shared memory than all have without asking", () => {
    const { reversed } = kernels("reversed");
    const c = placed(new Float32Array(20000));
    device().launch(reversed, [1, 1, 1], 256, [placed(ramp(20000)), c], 80000);
    expect(sameBits(fetched(c, 20000), ramp(20000).reverse())).toBe(true);
    expect(() => device().launch(reversed, [1, 1, 1], 256, [c, c], 2 ** 20)).toThrow(/kernel reversed/);
  });

  it("divides as IEEE asks", () => {
    const { divide } = kernels("divide");
    const a = Float32Array.from({ length: 1024 }, (_, i) => Math.fround(1 + i * 0.37));
    const b = Float32Array.from({ length: 1024 }, (_, i) => Math.fround(3 + i * 0.11));
    a[0] = 1e-38;
    b[0] = 1000; // a subnormal quotient
    const c = placed(new Float32Array(1024));
    device().launch(divide, [4, 1, 1], 256, [placed(a), placed(b), c]);
    expect(fetched(c, 1024)).toEqual(a.map((x, i) => x / b[i]));
  });

  it("names a kernel that is not there and one that cannot be compiled", () => {
    expect(() => device().compile(KERNELS, ["missing"])).toThrow(/CUDA_ERROR_NOT_FOUND/);
    expect(() => device().compile('extern "C" __global__ void f() { x = 1; }', ["f"])).toThrow(/"x"/);
  });

  it("says how much memory is free when it is not enough", () => {
    expect(() => device().allocate(100 * device().memory)).toThrow(/CUDA_ERROR_OUT_OF_MEMORY.*fewer runs/);
  });

  it.each(SHAPES)("multiplies %j as plain loops do", (shape) => {
    const plain = plainProduct(shape);
    const result = multiply(plain);
    const expected = multiplied(plain);
    const bound = 2 ** -23 * (shape.inner + 2);
    for (let i = 0; i < expected.length; i++) {
      if (Math.abs(result[i] - expected[i]) > bound) expect(result[i], `place ${i}`).toBe(expected[i]);
    }
  });

  it("gives the same bits twice", () => {
    const plain = plainProduct({ ...SHAPES[0], rows: 100, columns: 100, inner: 10240, batch: 3 });
    const first = multiply(plain);
    for (let again = 0; again < 5; again++) expect(sameBits(multiply(plain), first)).toBe(true);
  });

  it("keeps full float32 unless TF32 is asked for", async () => {
    const plain = plainProduct({ ...SHAPES[0], rows: 256, columns: 256, inner: 256, batch: 2 });
    const expected = multiplied(plain);
    const worst = (result: Float32Array) =>
      result.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i])), 0);
    expect(worst(multiply(plain))).toBeLessThan(5e-5);
    const rough = await openDevice({ tf32: true });
    try {
      const error = worst(multiply(plain, rough));
      expect(error).toBeGreaterThan(2e-4);
      expect(error).toBeLessThan(5e-2);
    } finally {
      rough.close();
    }
  });

  it("captures what is issued, does it when told, and again with other numbers in place", async () => {
    const { add } = kernels("add");
    const plain = plainProduct({ ...SHAPES[0], rows: 32, columns: 32, inner: 32, batch: 1, beta: 0 });
    const length = 32 * 32;
    const [a, b] = [placed(plain.a), placed(plain.b)];
    const [c, sum, copied] = [0, 1, 2].map(() => placed(new Float32Array(length).fill(9)));
    const { product } = plain;
    const graph = device().capture(() => {
      device().zero(copied, 4 * length);
      device().multiply({
        ...product,
        a: { ...product.a, pointer: a },
        b: { ...product.b, pointer: b },
        c: { ...product.c, pointer: c },
      });
      device().launch(add, [4, 1, 1], 256, [c, a, sum]);
      device().copy(copied, sum, 2 * length);
    });
    expect(fetched(sum, length)).toEqual(new Float32Array(length).fill(9));
    for (const factor of [1, -3]) {
      const scaled = plain.a.map((x) => factor * x);
      device().upload(a, scaled);
      graph.launch();
      await device().synchronise();
      const expected = multiplied({ ...plain, a: scaled }).map((x, i) => x + scaled[i]);
      const result = fetched(sum, length);
      for (let i = 0; i < length; i++) expect(result[i]).toBeCloseTo(expected[i], 4);
      const half = fetched(copied, length);
      expect(half.subarray(0, length / 2)).toEqual(result.subarray(0, length / 2));
      expect(half.subarray(length / 2)).toEqual(new Float32Array(length / 2));
    }
    graph.close();
    expect(() => graph.launch()).toThrow(/closed/);
  });

  it("does products that are alike by one call, wherever their matrices lie", () => {
    const plain = plainProduct({
      ...PLAIN,
      rows: 24,
      columns: 17,
      inner: 33,
      batch: 3,
      gap: 2,
      transposedB: true,
    });
    const { product } = plain;
    const size = plain.c.length;
    // At multiples of four bytes and in any order.
    const [a, b] = [placed(plain.a), placed(plain.b)];
    const c = placed(new Float32Array(8 * (size + 1)));
    const each = [5, 0, 3, 7, 1, 6].map((slot, i) => ({
      ...product,
      batch: 1 + (i % 3),
      a: { ...product.a, pointer: a },
      b: { ...product.b, pointer: b },
      c: { ...product.c, pointer: c + BigInt(4 * slot * (size + 1)) },
    }));
    for (const one of each) device().multiply(one);
    const apart = fetched(c, 8 * (size + 1));
    device().zero(c, 4 * 8 * (size + 1));
    const table = device().placeTogether(each)!;
    device().multiplyAll(table);
    const together = fetched(c, 8 * (size + 1));
    expect(apart.some((value) => value !== 0)).toBe(true);
    for (let i = 0; i < apart.length; i++) expect(together[i]).toBeCloseTo(apart[i], 4);
    for (const pointer of [a, b, c, table.addresses]) device().free(pointer);
  });

  it("does independent work on several streams, in its order with all else, also within a graph", async () => {
    const { add } = kernels("add");
    const plain = plainProduct({ ...SHAPES[0], rows: 64, columns: 64, inner: 64, batch: 1, beta: 0 });
    const { product } = plain;
    const length = 64 * 64;
    const [a, b] = [placed(plain.a), placed(plain.b)];
    const results = Array.from({ length: 20 }, () => placed(new Float32Array(length)));
    const total = placed(new Float32Array(length));
    const record = () => {
      device().zero(total, 4 * length);
      device().concurrently(
        results.map((c) => () => {
          device().multiply({
            ...product,
            a: { ...product.a, pointer: a },
            b: { ...product.b, pointer: b },
            c: { ...product.c, pointer: c },
          });
          device().launch(add, [length / 256, 1, 1], 256, [c, a, c]);
        }),
      );
      for (const c of results) device().launch(add, [length / 256, 1, 1], 256, [c, total, total]);
    };
    record();
    const eager = fetched(total, length);
    const expected = multiplied(plain).map((x, i) => 20 * (x + plain.a[i]));
    for (let i = 0; i < length; i++) expect(eager[i]).toBeCloseTo(expected[i], 2);
    const graph = device().capture(record);
    for (let run = 0; run < 50; run++) {
      graph.launch();
      expect(sameBits(fetched(total, length), eager)).toBe(true);
    }
    graph.close();
    for (const pointer of [a, b, total, ...results]) device().free(pointer);
  });

  it("measures between events, also between those of a graph", async () => {
    const { add } = kernels("add");
    const length = 2 ** 22;
    const [a, b, c] = [0, 1, 2].map(() => placed(ramp(length)));
    const work = () => device().launch(add, [length / 256, 1, 1], 256, [a, b, c]);
    const [before, between, after, unset] = [0, 1, 2, 3].map(() => device().event());
    await unset.reached();
    const graph = device().capture(() => {
      before.record();
      work();
      between.record();
      for (let i = 0; i < 20; i++) work();
      after.record();
    });
    // Other tests may be at work on the same GPU.
    let [one, twenty] = [Infinity, Infinity];
    for (let turn = 0; turn < 8; turn++) {
      graph.launch();
      await device().synchronise();
      one = Math.min(one, between.since(before));
      twenty = Math.min(twenty, after.since(between));
    }
    expect(one).toBeGreaterThan(0);
    expect(twenty).toBeGreaterThan(5 * one);
    unset.record();
    await unset.reached();
    unset.wait();
    expect(unset.since(after)).toBeGreaterThan(0);
    graph.close();
    for (const event of [before, between, after, unset]) event.close();
    for (const pointer of [a, b, c]) device().free(pointer);
  });

  it("goes on after a capture that failed", () => {
    const values = placed(ramp(4));
    expect(() => device().capture(() => device().upload(values, ramp(4)))).toThrow(/part of a graph/);
    expect(fetched(values, 4)).toEqual(ramp(4));
  });

  function kernels<Name extends string>(...names: Name[]) {
    return Object.fromEntries(device().compile(KERNELS, names)) as Record<Name, { readonly name: string }>;
  }

  function multiply({ product, a, b, c }: PlainProduct, on: Device = device()): Float32Array {
    const pointers = [a, b, c].map((values) => {
      const pointer = on.allocate(values.byteLength);
      on.upload(pointer, values);
      return pointer;
    });
    on.multiply({
      ...product,
      a: { ...product.a, pointer: pointers[0] },
      b: { ...product.b, pointer: pointers[1] },
      c: { ...product.c, pointer: pointers[2] },
    });
    const result = new Float32Array(c.length);
    on.download(pointers[2], result);
    for (const pointer of pointers) on.free(pointer);
    return result;
  }
});
