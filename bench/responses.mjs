/**
 * Data that look like responses of a PDE: smooth random fields, sums of 49 low cosine modes with decaying
 * amplitudes, bent by a saturating nonlinearity, in 24 regimes of very different frequency that overlap.
 * Deterministic.
 */
import { closeSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/**
 * Path of the file with all fields, float32 in C order; written on first use and kept among temporary files.
 */
export function responsesFile() {
  const path = join(tmpdir(), "pde-dirichlet-bench-responses-1.f32");
  if (statSync(path, { throwIfNoEntry: false })) return path;
  const regimes = Array.from({ length: REGIMES }, (_, regime) => amplitudes(stream(1, "regime", regime)));
  const random = stream(1, "samples");
  const field = new Float32Array(GRID * GRID);
  const file = openSync(`${path}.part`, "w");
  for (let sample = 0; sample < SAMPLES; sample++) {
    const regime = regimes[Math.floor(random.uniform() * random.uniform() * REGIMES)];
    const own = amplitudes(random);
    fill(
      field,
      regime.map((amplitude, index) => amplitude + SPREAD * own[index]),
    );
    writeSync(file, new Uint8Array(field.buffer));
  }
  closeSync(file);
  renameSync(`${path}.part`, path);
  return path;
}
