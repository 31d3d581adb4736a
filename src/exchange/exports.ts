import { csv } from "./csv.js";
import type { ExportFormat } from "./export-format.js";
import { fedlab } from "./fedlab.js";
import { fedml } from "./fedml.js";
import { fedscale } from "./fedscale.js";
import { flBench } from "./fl-bench.js";
import { flower } from "./flower.js";
import { niidBench } from "./niid-bench.js";
import { npz } from "./npz.js";

/** All export formats, keyed by the name that `--format` takes. */
export const EXPORTS = {
  npz,
  csv,
  flower,
  fedlab,
  "niid-bench": niidBench,
  fedml,
  "fl-bench": flBench,
  fedscale,
} as const satisfies Record<string, ExportFormat>;

/** Name of an export format. */
export type ExportName = keyof typeof EXPORTS;
