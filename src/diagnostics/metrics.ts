/**
 * The metrics of a partition, named as in files. `null` means unknown: without inputs, drawn proportions or
 * responses.
 */
export interface Metrics {
  /** D_sol, the mean pairwise transport distance between client histograms (eq:solution-distance). */
  readonly d_sol: number;
  /**
   * D_sol of IID splits into clients of the same sizes, by random draws: small clients differ by chance alone, and a split
   * is heterogeneous as far as its D_sol exceeds this.
   */
  readonly d_sol_floor: number;
  /** Mean pairwise input-space W1 on the same split, by optimal matching of equally many inputs. */
  readonly input_w1: number | null;
  /** Largest number of inputs per client used for it. */
  readonly input_w1_samples: number | null;
  /** Mean L1 distance between realised and drawn histograms (Methods). */
  readonly eps_part: number | null;
  /** Root of the client-weighted mean squared L2 distance between them (Appendix, prop:app-finite). */
  readonly eps_part_l2: number | null;
  /** Mean deviation of client sizes from the intended ones, relative to the mean size. */
  readonly eps_size: number | null;
  /** Mean distance of a normalised response from its bin's centroid. */
  readonly eps_quant: number | null;
  /** Coefficient of variation of client sizes, with the population standard deviation. */
  readonly cv_n: number;
  readonly n_min: number;
  readonly n_max: number;
  /** Raw allocation heterogeneity H_u of the drawn proportions (eq:main-alpha-law). */
  readonly h_u: number | null;
  /** Its expectation by the exact law (thm:app-alpha-law). */
  readonly h_u_expected: number | null;
  /** H_u of the realised integer allocation, after repair. */
  readonly h_u_realised: number;
  /** Its expectation before repair, by the Dirichlet-multinomial law. */
  readonly h_u_realised_expected: number | null;
  /**
   * The alpha whose expected realised H_u equals this partition's. `null` if the split is more even than any alpha gives, or
   * if its counts could come from a split that ignores bins: client sizes and chance then determine H_u.
   */
  readonly alpha_implied: number | null;
  /** Weighted solution-bin heterogeneity H_q (eq:app-Hq). */
  readonly h_q: number;
  /** Weighted squared transport distance of clients from the whole, H_W, and its bounds by H_q (eq:app-HW-Hq). */
  readonly h_w: number;
  readonly h_w_lower: number;
  readonly h_w_upper: number;
  /** Smallest and largest off-diagonal ground cost. */
  readonly c_min: number;
  readonly c_max: number;
  /** Mean pairwise total variation, and the bounds that it puts on D_sol (eq:app-tv). */
  readonly tv: number;
  readonly d_sol_lower: number;
  readonly d_sol_upper: number;
  /** Mean pairwise Jensen-Shannon distance (base 2, root of the divergence). */
  readonly js: number;
  /** Mean pairwise Hellinger distance. */
  readonly hellinger: number;
  /** Samples moved to reach the minimum size. */
  readonly repairs: number | null;
}

/** A short explanation of each metric, in the order of display. */
export const METRIC_MEANINGS: Readonly<Record<keyof Metrics, string>> = {
  d_sol: "mean pairwise transport distance between clients' bin histograms",
  d_sol_floor: "d_sol of IID splits into clients of the same sizes",
  d_sol_lower: "lower bound of d_sol: c_min times tv",
  d_sol_upper: "upper bound of d_sol: c_max times tv",
  input_w1: "mean pairwise W1 distance between clients' inputs",
  input_w1_samples: "maximum inputs per client used for input_w1",
  eps_part: "mean L1 distance of realised from drawn histograms",
  eps_part_l2: "the same in L2, as a weighted root mean square",
  eps_size: "mean deviation of client sizes from the intended ones, relative to their mean",
  eps_quant: "mean distance of a response from its bin's centroid",
  cv_n: "coefficient of variation of client sizes",
  n_min: "samples of the smallest client",
  n_max: "samples of the largest client",
  repairs: "samples moved to reach the minimum size",
  h_u: "heterogeneity H_u of the drawn proportions",
  h_u_expected: "exact expectation of h_u",
  h_u_realised: "heterogeneity H_u of the realised counts",
  h_u_realised_expected: "exact expectation of h_u_realised, before repair",
  alpha_implied: "alpha whose expected H_u equals h_u_realised",
  h_q: "H_q: weighted squared distance from the global histogram",
  h_w: "H_W: weighted squared transport from the global histogram",
  h_w_lower: "lower bound of h_w, from h_q",
  h_w_upper: "upper bound of h_w, from h_q",
  c_min: "smallest distance between two centroids",
  c_max: "largest distance between two centroids",
  tv: "mean pairwise total variation",
  js: "mean pairwise Jensen-Shannon distance (base 2)",
  hellinger: "mean pairwise Hellinger distance",
};
