import { choice, type Options, realNumber, text, wholeNumber } from "../options/option.js";
import { DEFAULT_BINS } from "./bins.js";
import { DEFAULT_COST, GROUND_COST_NAMES } from "./ground-costs.js";
import { DEFAULT_REPAIR, REPAIR_RULES } from "./repair.js";
import { STANDARDISATIONS } from "./representation.js";
import { DEFAULT_REPRESENTATION, REPRESENTATION_FORMS } from "./representations.js";

/** The range of the Dirichlet concentration. Beyond it a partition no longer changes. */
export const SMALLEST_ALPHA = 1e-6;
export const LARGEST_ALPHA = 1e9;

/** The concentration, as partitioners that take one declare it. */
export const ALPHA = realNumber({
  from: SMALLEST_ALPHA,
  to: LARGEST_ALPHA,
  help: "Dirichlet concentration; smaller is more heterogeneous",
});

/** The paper's smallest client. */
export const DEFAULT_MIN_SIZE = 16;

/** Into how many clients data are split. */
export const CLIENT_OPTIONS = {
  clients: wholeNumber({ from: 2, default: 10, help: "number of clients K" }),
} as const satisfies Options;

/** What bins are fitted to, and how far apart they lie. */
export const BIN_OPTIONS = {
  representation: text({
    default: DEFAULT_REPRESENTATION,
    later: true,
    expected: `one of ${REPRESENTATION_FORMS.join(", ")}, or arrays with a row for each sample`,
    help: `what bins are fitted to: ${REPRESENTATION_FORMS.join(", ")}, or arrays of the data with a row for each sample`,
  }),
  standardise: choice(STANDARDISATIONS, {
    default: "arrays",
    later: true,
    help: "how such arrays are scaled against each other: each array, each column, or not at all",
  }),
  cost: text({
    default: DEFAULT_COST,
    later: true,
    path: true,
    expected: `one of ${GROUND_COST_NAMES.join(", ")}, or a file with a matrix`,
    help: `distance between bins: ${GROUND_COST_NAMES.join(", ")}, or a file with a matrix of bins x bins`,
  }),
} as const satisfies Options;

/** How samples are split among clients, apart from concentration, seed and number of clients. */
export const PARTITION_OPTIONS = {
  bins: wholeNumber({ from: 1, default: DEFAULT_BINS, help: "number of solution bins" }),
  min_size: wholeNumber({
    from: 1,
    defaultWords: "the data's, 16 where they have enough samples",
    help: "minimum samples per client; repair moves samples to smaller clients",
  }),
  repair: choice(REPAIR_RULES, {
    default: DEFAULT_REPAIR,
    help: "which client gives samples to a client below the minimum: the one that keeps both histograms closest to the draw, or the largest one, as in the bundled studies",
  }),
  ...BIN_OPTIONS,
} as const satisfies Options;
