import { OptionError } from "../../errors.js";
import { wholeNumber } from "../../options/option.js";
import { shuffle } from "../../random/permutation.js";
import { stream } from "../../random/stream.js";
import { apportion, cutBySizes } from "../client-sizes.js";
import type { Partitioner } from "../partitioner.js";
import { listed } from "../units.js";

/**
 * Every client holds the same number of bins, and a bin is shared equally by the clients that hold it. Each client takes the
 * bins that the fewest clients have so far, ties at random: no bin is left without a client, and none is crowded.
 */
export const pathological: Partitioner = {
  describe: "give every client a fixed number of solution bins, and share each bin equally",
  options: {
    bins_per_client: wholeNumber({
      from: 1,
      default: 2,
      naming: true,
      help: "solution bins that a client holds",
    }),
  },
  draw(units, { clients, seed, values }) {
    const each = Number(values.bins_per_client);
    const unitsOfBin = listed(units.binOfUnit, units.bins);
    const filled = [...unitsOfBin.keys()].filter((bin) => unitsOfBin[bin].length > 0);
    if (each > filled.length)
      throw new OptionError(
        `a client cannot hold ${each} bins: ${filled.length === 1 ? "one bin has" : `${filled.length} bins have`} samples`,
      );
    if (clients * each < filled.length)
      throw new OptionError(
        `${clients} clients with ${each} bins each leave bins without a client: there are ${filled.length}. ` +
          `Take at least ${Math.ceil(filled.length / clients)} bins per client, or fewer bins`,
      );
    const takers = unitsOfBin.map(() => [] as number[]);
    for (const client of shuffle(stream(seed, "clients"), clientList(clients))) {
      const tie = new Map(filled.map((bin) => [bin, stream(seed, "bins", client, bin).uniform()]));
      const fewest = [...filled].sort(
        (a, b) => takers[a].length - takers[b].length || tie.get(a)! - tie.get(b)!,
      );
      for (const bin of fewest.slice(0, each)) takers[bin].push(client);
    }
    const target = clientList(clients).map(() => new Float64Array(units.bins));
    const clientOfUnit = new Int32Array(units.count);
    for (const bin of filled) {
      const own = shuffle(stream(seed, "order", bin), unitsOfBin[bin]);
      const holders = takers[bin].sort((a, b) => a - b);
      if (own.length < holders.length)
        throw new OptionError(
          `bin ${bin} has ${own.length} ${units.groups ? "groups" : "samples"} for ${holders.length} clients: ` +
            "take fewer clients, fewer bins per client, or fewer bins",
        );
      const samples = own.reduce((sum, unit) => sum + units.sizes[unit], 0);
      const shares = apportion(new Array(holders.length).fill(1), samples);
      cutBySizes(own, units.sizes, shares, (unit, place) => {
        clientOfUnit[unit] = holders[place];
      });
      holders.forEach((client, place) => {
        target[client][bin] = shares[place];
      });
    }
    const sizes = target.map((row) => row.reduce((a, b) => a + b, 0));
    return {
      clientOfUnit,
      sizes,
      target: target.map((row, client) => row.map((share) => share / sizes[client])),
    };
  },
};

const clientList = (clients: number): number[] => Array.from({ length: clients }, (_, client) => client);
