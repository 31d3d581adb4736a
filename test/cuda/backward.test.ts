import { backwardTests, type LayerCase } from "./backward-layers.js";
import { describeOnDevice } from "./gpu.js";

/** As many rows as have work for all of a GPU. */
const LAYERS: readonly LayerCase[] = [
  { batch: 3, rows: 131072, inner: 8, columns: 64, outputs: 1 },
  { batch: 3, rows: 49152, inner: 32, columns: 128, outputs: 3 },
  { batch: 3, rows: 46080, inner: 24, columns: 128, outputs: 2, shared: true },
];

describeOnDevice("a layer's way back on a GPU", (device) => backwardTests(device, LAYERS));
