/**
 * Data that look like responses of a PDE: smooth random fields, sums of 49 low cosine modes with decaying
 * amplitudes, bent by a saturating nonlinearity, in 24 regimes of very different frequency that overlap.
 * Deterministic.
 */
import { renameSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeHdf5 } from "../dist/files/hdf5-writer.js";
import { normal } from "../dist/random/normal.js";
import { stream } from "../dist/random/stream.js";

export const SAMPLES = 10_000;
export const GRID = 128;
const MODES = 7;
const REGIMES = 24;
/** Standard deviation within a regime over that between regimes. */
const SPREAD = 0.8;

const modes = Array.from({ length: MODES }, (_, k) =>
  Float64Array.from({ length: GRID }, (_, j) => Math.cos((Math.PI * k * (j + 0.5)) / GRID)),
);

/** Random amplitudes that decay with the wave number. */
function amplitudes(random) {
  return Array.from({ length: MODES * MODES }, (_, index) => {
    const [k, l] = [Math.floor(index / MODES), index % MODES];
    return normal(random) / (1 + (k * k + l * l) / 2);
  });
}

function fill(field, amplitude) {
  for (let y = 0; y < GRID; y++) {
    const along = Array.from({ length: MODES }, (_, k) =>
      modes.reduce((sum, mode, l) => sum + amplitude[k * MODES + l] * mode[y], 0),
    );
    for (let x = 0; x < GRID; x++) {
      let value = 0;
      for (let k = 0; k < MODES; k++) value += along[k] * modes[k][x];
      field[y * GRID + x] = 0.5 * value + (2 * value) / (1 + Math.abs(value));
    }
  }
}

/** Fields one after another, for as long as they are asked for. */
export function* fields(name) {
  const regimes = Array.from({ length: REGIMES }, (_, regime) =>
    amplitudes(stream(1, name, "regime", regime)),
  );
  const random = stream(1, name, "samples");
  for (;;) {
    const regime = regimes[Math.floor(random.uniform() * random.uniform() * REGIMES)];
    const own = amplitudes(random);
    const field = new Float32Array(GRID * GRID);
    fill(
      field,
      regime.map((amplitude, index) => amplitude + SPREAD * own[index]),
    );
    yield field;
  }
}

/** All fields of a name as a dataset whose rows are made when they are written. */
function dataset(name) {
  const source = fields(name);
  const rows = (start, end) => {
    const values = new Float32Array((end - start) * GRID * GRID);
    for (let row = start; row < end; row++) values.set(source.next().value, (row - start) * GRID * GRID);
    return values;
  };
  return { shape: [SAMPLES, GRID, GRID], values: { dtype: "float32", rows } };
}

/** Path of an HDF5 file with all responses and inputs; written on first use and kept among temporary files. */
export async function responsesFile() {
  const path = join(tmpdir(), "pde-dirichlet-bench-1.h5");
  if (statSync(path, { throwIfNoEntry: false })) return path;
  await writeHdf5(`${path}.part`, {
    datasets: { "/train/responses": dataset("responses"), "/train/inputs": dataset("inputs") },
  });
  renameSync(`${path}.part`, path);
  return path;
}
