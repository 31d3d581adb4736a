import { dirname, join } from "node:path";
import { dissimilarity } from "../../diagnostics/gradient-dissimilarity.js";
import { FormatError, UserError } from "../../errors.js";
import type { Values } from "../../files/ndarray.js";
import { type NpzArchive, openNpz } from "../../files/npz.js";
import { withFile } from "../run-folder.js";
import type { ExternalRun, LoggedCheckpoint } from "./external-run.js";

/** The array of an NPZ file with the full gradient of every client, [clients, parameters]. */
const GRADIENTS = "gradients";

/** All parameters of a model as one vector, and the names and shapes of the arrays that they came from. */
export interface NamedParameters {
  readonly values: Float32Array;
  readonly layout: string;
}

/** The parameters of a checkpoint; undefined if it has none. Arrays are joined in the order of their names. */
export async function checkpointParameters(
  { path }: Pick<ExternalRun, "path">,
  { parameters, line }: LoggedCheckpoint,
): Promise<NamedParameters | undefined> {
  if (parameters === undefined) return undefined;
  return named(path, line, "parameters", () =>
    withArchive(path, parameters, async (archive) => {
      const arrays = await floatArrays(archive);
      if (arrays.length === 0) throw new FormatError(`${parameters} holds no floating-point array`);
      const values = new Float32Array(arrays.reduce((sum, array) => sum + array.values.length, 0));
      let end = 0;
      for (const array of arrays) {
        values.set(array.values, end);
        end += array.values.length;
      }
      return { values, layout: arrays.map(({ name, shape }) => `${name} ${shape.join("x")}`).join(", ") };
    }),
  );
}

/** H_g^norm of a checkpoint's client gradients (eq:gradient-metric); undefined if it has none. */
export async function gradientMetric(
  { path, sizes }: Pick<ExternalRun, "path" | "sizes">,
  { gradients, line }: LoggedCheckpoint,
): Promise<number | undefined> {
  if (gradients === undefined) return undefined;
  return named(path, line, "gradients", () =>
    withArchive(path, gradients, async (archive) => {
      const array = await archive.array(GRADIENTS);
      const [clients, width = 0] = array.shape;
      if (array.shape.length !== 2)
        throw new FormatError(`its array has shape ${array.shape.join("x")}, not clients x parameters`);
      if (sizes === undefined)
        throw new FormatError("the first line must name the partition, or the sizes of the clients");
      if (sizes.length !== clients)
        throw new FormatError(`${gradients} has ${clients} rows, but there are ${sizes.length} clients`);
      const values = floats(await array.read(0, clients), gradients);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const rows = sizes.map((_, client) => values.subarray(client * width, (client + 1) * width));
      return dissimilarity(
        rows,
        Float64Array.from(sizes, (size) => size / total),
      );
    }),
  );
}

async function floatArrays(archive: NpzArchive) {
  const arrays: { name: string; shape: readonly number[]; values: Float32Array | Float64Array }[] = [];
  for (const name of [...archive.names].sort()) {
    const { shape, rows, dtype, read } = await archive.array(name);
    // Counters, such as those of batch normalisation, are no parameters.
    if (dtype.startsWith("float")) arrays.push({ name, shape, values: floats(await read(0, rows), name) });
  }
  return arrays;
}

function floats(values: Values, name: string): Float32Array | Float64Array {
  if (values instanceof Float32Array || values instanceof Float64Array) return values;
  throw new FormatError(`${name} is not of floating-point numbers`);
}

function withArchive<T>(path: string, file: string, use: (archive: NpzArchive) => Promise<T>): Promise<T> {
  return withFile(join(dirname(path), file), async (source) => use(await openNpz(source)));
}

/** Says which line of which run names a file that cannot be used. */
async function named<T>(path: string, line: number, field: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const message = error.message.replaceAll(`${dirname(path)}/`, "");
    throw new FormatError(`${path}:${line}: ${field}: ${message}`);
  }
}
