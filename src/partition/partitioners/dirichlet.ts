import type { Options } from "../../options/option.js";
import { allocate } from "../allocate.js";
import { ALPHA } from "../partition-options.js";
import type { Partitioner } from "../partitioner.js";

/** Options of the Dirichlet partitioner alone. */
export const DIRICHLET_OPTIONS = { alpha: ALPHA } as const satisfies Options;

/** The paper's partitioner: every bin is split by Dirichlet shares (alg:pde-dirichlet). */
export const dirichlet: Partitioner = {
  describe: "split every solution bin among the clients by Dirichlet shares (the paper's)",
  options: DIRICHLET_OPTIONS,
  draw({ binOfUnit, bins }, { clients, seed, values }) {
    const { clientOfSample, ...draw } = allocate(binOfUnit, {
      clients,
      bins,
      alpha: Number(values.alpha),
      seed,
    });
    return { clientOfUnit: clientOfSample, ...draw };
  },
};
