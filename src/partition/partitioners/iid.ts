import { shuffle } from "../../random/permutation.js";
import { stream } from "../../random/stream.js";
import { cutBySizes, intendedSizes, SIZE_OPTIONS } from "../client-sizes.js";
import type { Draw, DrawOptions, Partitioner } from "../partitioner.js";
import { binMasses, type Units } from "../units.js";

/** Clients of equal sizes whose samples are drawn without regard to their bins. */
export const iid: Partitioner = {
  describe: "shuffle all samples and cut them into equal clients",
  options: {},
  draw: (units, options) => drawBySizes(units, { ...options, values: { sizes: SIZE_OPTIONS.sizes.default } }),
};

/** Clients of intended sizes whose samples are drawn without regard to their bins. */
export function drawBySizes(units: Units, options: DrawOptions): Draw {
  const { clients, seed } = options;
  const sizes = intendedSizes(options, units);
  const order = shuffle(
    stream(seed, "iid"),
    Int32Array.from({ length: units.count }, (_, unit) => unit),
  );
  const clientOfUnit = new Int32Array(units.count);
  cutBySizes(order, units.sizes, sizes, (unit, client) => {
    clientOfUnit[unit] = client;
  });
  const masses = binMasses(units);
  return { clientOfUnit, order, sizes, target: Array.from({ length: clients }, () => masses) };
}
