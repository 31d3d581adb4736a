import { OptionError } from "../../errors.js";
import { wholeNumber } from "../../options/option.js";
import { shuffle } from "../../random/permutation.js";
import { stream } from "../../random/stream.js";
import { apportion, cutBySizes } from "../client-sizes.js";
import type { Partitioner } from "../partitioner.js";
import { listed } from "../units.js";

/** Samples sorted by bin, cut into equal shards, which are dealt at random (McMahan et al., 2017). */
export const shards: Partitioner = {
  describe: "sort samples by solution bin, cut them into equal shards and deal these to the clients",
  options: {
    shards: wholeNumber({ from: 1, to: 1000, default: 2, help: "shards per client" }),
  },
  check({ clients, values }, samples) {
    const count = clients * Number(values.shards);
    if (count > samples)
      throw new OptionError(
        `${samples} samples cannot be cut into ${clients} x ${values.shards} shards: take fewer`,
      );
  },
  draw(units, { clients, seed, values }) {
    const count = clients * Number(values.shards);
    if (count > units.count)
      throw new OptionError(
        `${units.count} ${units.groups ? "groups" : "samples"} cannot be cut into ${clients} x ${values.shards} shards: take fewer`,
      );
    const sorted = listed(units.binOfUnit, units.bins).flatMap((own, bin) =>
      shuffle(stream(seed, "order", bin), own),
    );
    const dealt = shuffle(
      stream(seed, "shards"),
      Int32Array.from({ length: count }, (_, i) => i),
    );
    const clientOfUnit = new Int32Array(units.count);
    const equal = apportion(new Array(count).fill(1), units.samples);
    cutBySizes(sorted, units.sizes, equal, (unit, shard) => {
      clientOfUnit[unit] = dealt[shard] % clients;
    });
    const sizes = new Int32Array(clients);
    equal.forEach((size, shard) => {
      sizes[dealt[shard] % clients] += size;
    });
    return { clientOfUnit, sizes };
  },
};
