import { checkSizes, givenSizes, SIZE_OPTIONS } from "../client-sizes.js";
import type { Partitioner } from "../partitioner.js";
import { drawBySizes } from "./iid.js";

/** Size skew without composition skew: IID clients whose sizes follow a law. */
export const sizes: Partitioner = {
  describe: "IID clients of unequal sizes (size skew alone)",
  options: {
    ...SIZE_OPTIONS,
    sizes: { ...SIZE_OPTIONS.sizes, default: "lognormal" },
  },
  check: checkSizes,
  clientsOf: (_, values, asked) => asked ?? givenSizes(values)?.length,
  draw: drawBySizes,
};
