import { OptionError } from "../../errors.js";
import { text } from "../../options/option.js";
import type { Partitioner } from "../partitioner.js";

/** A partition that exists already, made here or by another tool. */
export const file: Partitioner = {
  describe: "the clients that a file states: a partition of this or another tool",
  options: {
    file: text({
      expected: "the path of a partition",
      path: true,
      help: "partition to take the clients from: all that `diagnose` reads",
    }),
    column: text({ expected: "the name of a column", help: "column of the table that holds the client" }),
    key: text({
      expected: "the name of an array or a key",
      help: "array of an NPZ file, or key of a dict, that holds the partition",
    }),
    sha256: text({
      expected: "a hash",
      found: true,
      help: "hash of the clients: a run is what its clients are, not how their file is called",
    }),
  },
  wants({ file: path, column, key }) {
    if (path === undefined)
      throw new OptionError("the partitioner file needs a partition: --file <path>, or --partition to train");
    return {
      assignment: {
        file: String(path),
        ...(column !== undefined && { column: String(column) }),
        ...(key !== undefined && { key: String(key) }),
      },
    };
  },
  clientsOf: ({ clients }, values, asked) => {
    const { length } = clients!.clientNames;
    if (asked !== undefined && asked !== length)
      throw new OptionError(`${values.file} has ${length} clients, not ${asked}: leave out the number`);
    return length;
  },
  keepsClients: true,
  draw({ sizes, samples: all }, _, { clients }) {
    const { clientOfSample: clientOfUnit, clientNames } = clients!;
    const left = clientOfUnit.reduce((sum, client, unit) => sum + (client < 0 ? sizes[unit] : 0), 0);
    return {
      clientOfUnit,
      clientNames,
      ...(left > 0 && {
        notes: [
          `No client holds ${left} of ${all} samples (${((100 * left) / all).toFixed(1)} %): bins are those of all ` +
            "samples, and the rest is measured.",
        ],
      }),
    };
  },
};
