import { describe, expect, it } from "vitest";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { readSafetensors, writeSafetensors } from "../../src/files/safetensors.js";
import { parameterCount, parameterLayout } from "../../src/models/parameter-layout.js";
import { readParameters, writeParameters } from "../../src/records/stored-parameters.js";

const layout = parameterLayout([
  ["branch.0.weight", [2, 3]],
  ["branch.0.bias", [3]],
  ["spectral.0.real", [2, 2, 2]],
  ["layer.0.weight", [2, 1, 1, 2]],
]);
const parameters = Float32Array.from({ length: parameterCount(layout) }, (_, i) => i);

describe("stored parameters", () => {
  const bytes = writeParameters(layout, parameters, { run: "r" });

  it("have the matrices of linear layers as PyTorch has them, [out, in], and all else as it is", async () => {
    const { tensors, metadata } = await readSafetensors(bytesInMemory(bytes, "p"));
    expect(metadata).toEqual({ schema: "pde-dirichlet/parameters/2", run: "r" });
    // branch.0.weight is [[0, 1, 2], [3, 4, 5]] from two inputs to three outputs
    expect(tensors["branch.0.weight"]).toEqual({ shape: [3, 2], values: Float32Array.of(0, 3, 1, 4, 2, 5) });
    expect(tensors["branch.0.bias"]).toEqual({ shape: [3], values: Float32Array.of(6, 7, 8) });
    expect([...tensors["spectral.0.real"].values]).toEqual([9, 10, 11, 12, 13, 14, 15, 16]);
    expect(tensors["layer.0.weight"].shape).toEqual([2, 1, 1, 2]);
  });

  it("are read back as the vector that they were written from, also those of the first version", async () => {
    expect(await readParameters(bytesInMemory(bytes, "p"))).toEqual(parameters);
    const tensors = Object.fromEntries(
      layout.map(({ name, shape, start, size }) => [
        name,
        { shape, values: parameters.subarray(start, start + size) },
      ]),
    );
    const first = writeSafetensors({ tensors, metadata: {} });
    expect(await readParameters(bytesInMemory(first, "p"))).toEqual(parameters);
  });
});
