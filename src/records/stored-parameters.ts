import type { ByteSource } from "../files/byte-source.js";
import { readSafetensors, type Safetensors, writeSafetensors } from "../files/safetensors.js";
import type { ParameterLayout } from "../models/parameter-layout.js";

/**
 * The name and version of the layout of `parameters.safetensors`. Version 2 stores the matrix of a linear layer as
 * PyTorch does, [out, in]; files without a version store it as we compute with it, [in, out].
 */
const PARAMETERS_SCHEMA = "pde-dirichlet/parameters/2";

/** The bytes of `parameters.safetensors`: a model's weights by name, and what they belong to. */
export function writeParameters(
  layout: ParameterLayout,
  parameters: Float32Array,
  metadata: Safetensors["metadata"],
): Uint8Array {
  const tensors = layout.map(({ name, shape, start, size }) => {
    const values = parameters.subarray(start, start + size);
    return [
      name,
      isLinear(name, shape)
        ? { shape: [shape[1], shape[0]], values: transposed(values, shape[0], shape[1]) }
        : { shape, values },
    ] as const;
  });
  return writeSafetensors({
    tensors: Object.fromEntries(tensors),
    metadata: { schema: PARAMETERS_SCHEMA, ...metadata },
  });
}

/** All parameters as the flat vector that they were written from. */
export async function readParameters(source: ByteSource): Promise<Float32Array> {
  const { tensors, metadata } = await readSafetensors(source);
  const flat: number[] = [];
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    const turned = metadata.schema === PARAMETERS_SCHEMA && isLinear(name, shape);
    for (const value of turned ? transposed(values as Float32Array, shape[0], shape[1]) : values)
      flat.push(value);
  }
  return Float32Array.from(flat);
}

/** Kernels of convolutions have four axes and lie as in PyTorch already. */
function isLinear(name: string, shape: readonly number[]): boolean {
  return shape.length === 2 && name.endsWith(".weight");
}

function transposed(values: Float32Array, rows: number, columns: number): Float32Array {
  const turned = new Float32Array(values.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      turned[column * rows + row] = values[row * columns + column];
  return turned;
}
