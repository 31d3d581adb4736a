import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Backend } from "../../../src/engine/backend.js";
import { cudaBackend } from "../../../src/engine/cuda/cuda-backend.js";
import type { Device } from "../../../src/engine/cuda/device/device.js";
import { agreementTests, operationsTest } from "../../cuda/agreement.js";
import { backwardTests, type LayerCase, shortLinesTest } from "../../cuda/backward-layers.js";
import { exactnessTests, type ProductCase } from "../../cuda/product-exactness.js";
import { type SpectraCase, spectraTests } from "../../cuda/spectra.js";
import { type FieldCase, transformedTests } from "../../cuda/transformed-layers.js";
import { canEmulate, openEmulatedDevice } from "./emulation/emulated-device.js";

/** Products that are large for an emulated GPU: tall ones, deep ones with teams and without, and many. */
const PRODUCTS: readonly ProductCase[] = [
  { rows: 274, columns: 70, inner: 131, batch: 2 },
  { rows: 272, columns: 100, inner: 64, batch: 1, transposeA: true },
  { rows: 288, columns: 8, inner: 24, batch: 2 },
  { rows: 256, columns: 128, inner: 16, batch: 1 },
  { rows: 300, columns: 130, inner: 17, batch: 2, sharedB: true },
  { rows: 24, columns: 512, inner: 64, batch: 2, transposeB: true },
  { rows: 33, columns: 41, inner: 500, batch: 2, transposeA: true },
  { rows: 64, columns: 100, inner: 320, batch: 2 },
  { rows: 20, columns: 150, inner: 1030, batch: 2, transposeB: true },
  { rows: 5, columns: 12, inner: 1030, batch: 2 },
  { rows: 32, columns: 24, inner: 16, batch: 41, transposeA: true },
  { rows: 16, columns: 32, inner: 32, batch: 40, transposeB: true },
];

/** Layers in several parts of rows: warps have several tiles of what comes out, two, and two that are not always there. */
const LAYERS: readonly LayerCase[] = [
  { batch: 2, rows: 2048, inner: 8, columns: 64, outputs: 1 },
  { batch: 2, rows: 2048, inner: 24, columns: 128, outputs: 3 },
  { batch: 2, rows: 2048, inner: 32, columns: 128, outputs: 1, shared: true },
];

/** Fields with weights of all and of each client, with frequencies that fill tiles and that do not, there and back. */
const FIELDS: readonly FieldCase[] = [
  { clients: 3, lines: 8, points: 64, samples: 3, known: 24, wanted: 24 },
  { clients: 1, lines: 13, points: 32, samples: 3, known: 10, wanted: 6, shared: true },
  { clients: 2, lines: 9, points: 96, samples: 3, known: 20, wanted: 32, turned: true },
  { clients: 2, lines: 9, points: 96, samples: 3, known: 10, wanted: 24, bare: true },
  { clients: 1, lines: 13, points: 64, samples: 2, known: 24, wanted: 12, bare: true, turned: true },
];

/** Small matrices of one tile and of several, with as many of them as fill blocks and with one more. */
const SPECTRA: readonly SpectraCase[] = [
  { clients: 2, frequencies: 20, samples: 16, from: 32, to: 32 },
  { clients: 3, frequencies: 15, samples: 8, from: 16, to: 8, shared: true },
  { clients: 1, frequencies: 41, samples: 8, from: 8, to: 24 },
];

// Compilers take their time where other tests run beside.
vi.setConfig({ testTimeout: 600_000 });

describe.skipIf(!(await canEmulate()))("the CUDA backend, its kernels emulated on a CPU,", () => {
  let device: Device;
  let backend: Backend;
  beforeAll(async () => {
    device = await openEmulatedDevice();
    backend = cudaBackend(device);
  });
  afterAll(() => device?.close());

  it("finds out a kernel whose threads use shared memory that it does not have, or do not wait for each other", async () => {
    const shared = (body: string) =>
      `extern "C" __global__ void __launch_bounds__(32, 1) kernel(float* p0) {\n  __shared__ float shared[32];\n${body}}\n`;
    const launched = async (body: string) => {
      await device.prepare([shared(body)]);
      const numbers = device.allocate(128);
      device.launch(device.compile(shared(body), ["kernel"]).get("kernel")!, [1, 1, 1], 32, [numbers]);
      const found = new Float32Array(32);
      device.download(numbers, found);
      device.free(numbers);
      return found;
    };
    const turned =
      "shared[threadIdx.x] = threadIdx.x;\n__syncthreads();\np0[threadIdx.x] = shared[31u - threadIdx.x];\n";
    expect((await launched(turned))[0]).toBe(31);
    await expect(launched(turned.replace("__syncthreads();\n", ""))).rejects.toThrow("what no kernel may do");
    const shuffled =
      "shared[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1.f, 1);\np0[threadIdx.x] = shared[0];\n";
    await expect(launched(shuffled)).rejects.toThrow("what no kernel may do");
    const unwritten = "p0[threadIdx.x] = shared[threadIdx.x];\n";
    expect((await launched(unwritten))[0]).toBeNaN();
    await expect(launched(turned.replace("31u", "32u"))).rejects.toThrow("what no kernel may do");
  });

  agreementTests(() => backend, { trained: [], clientStates: ["keep"] });
  exactnessTests(() => device, PRODUCTS);
  backwardTests(() => device, LAYERS);
  shortLinesTest(() => device);
  transformedTests(() => device, FIELDS);
  spectraTests(() => device, SPECTRA);

  describe("and kernels of ours taken for all products,", () => {
    operationsTest(() => cudaBackend(device, { hasKernel: () => true }));
  });
});
