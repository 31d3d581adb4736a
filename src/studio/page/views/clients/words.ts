import type { Option } from "../../../../options/option.js";
import { PARTITIONERS } from "../../../../partition/partitioners.js";
import type { Words } from "../../glossary.js";

/** The word of a partitioner's option: what it means is what its declaration says. */
const ofOption = ({ help }: Option, label: string) => ({
  label,
  meaning: `${help.slice(0, 1).toUpperCase()}${help.slice(1)}.`,
});

const { shards, pathological, sizes, by } = PARTITIONERS;

/** Words of the view of clients. */
export const CLIENTS_WORDS = {
  alpha: {
    label: "α",
    meaning: "Concentration of the Dirichlet draw: the smaller, the fewer bins a client sees.",
    formula: "p_b ~ Dir(α, ..., α), one draw over $K$ clients for each bin",
  },
  clients: { label: "Clients $K$", meaning: "Number of clients that share the training samples." },
  seed: { label: "Seed", meaning: "Fixes bins and draw: the same seed gives the same split for every α." },
  min_size: {
    label: "Minimum size",
    meaning: "Samples that every client gets at least: repair moves samples to clients that have fewer.",
  },
  repair: { label: "Repair", meaning: "Which client gives samples to one below the minimum size." },
  partitioner: { label: "Partitioner", meaning: "The rule that splits the samples among clients." },
  partition_file: {
    label: "Partition",
    meaning:
      "The files that the command writes for this split: JSON with the client of every sample, NPZ with its arrays.",
  },
  d_sol: {
    label: "D_sol",
    meaning: "How far apart clients are: the mean transport distance between their histograms over bins.",
    formula: "D_sol = mean over pairs of W_1(h_i, h_j), costs = distances of centroids",
  },
  d_sol_floor: {
    label: "floor",
    meaning: "D_sol of IID splits into clients of these sizes: small clients differ by chance alone.",
  },
  d_sol_range: {
    label: "along the dial",
    meaning: "Smallest and largest D_sol for α from 1000 to 0.001, with everything else as it is.",
  },
  d_sol_bounds: {
    label: "bounds",
    meaning: "D_sol lies between these for any clients that differ so much in total variation.",
    formula: "c_min TV ≤ D_sol ≤ c_max TV",
  },
  c_max: {
    label: "c_max",
    meaning: "Largest distance between two centroids: no two clients can be further apart.",
  },
  h_u: {
    label: "H_u",
    meaning: "Heterogeneity of the drawn shares $S$ of each bin, before whole samples are dealt.",
    formula: "H_u = Σ_b π_b^2 ($K$ Σ_k S_{kb}^2 − 1)",
  },
  h_u_realised: {
    label: "H_u",
    meaning: "Heterogeneity of the shares that the counts of samples give.",
    formula: "H_u = Σ_b π_b^2 ($K$ Σ_k S_{kb}^2 − 1)",
  },
  h_u_expected: {
    label: "E[H_u]",
    meaning: "Expectation of H_u over Dirichlet draws, by the exact law; π_b is the share of bin $b$.",
    formula: "E[H_u] = ($K$ − 1) / ($K$ α + 1) · Σ_b π_b^2",
  },
  h_u_realised_expected: {
    label: "E[H_u]",
    meaning: "Expectation of H_u for whole samples of a Dirichlet draw, N_b of bin b, before repair.",
    formula: "E[H_u] = ($K$ − 1) Σ_b π_b^2 ((1 − 1/N_b) / ($K$ α + 1) + 1/N_b)",
  },
  h_q: {
    label: "H_q",
    meaning:
      "Heterogeneity of the clients' histograms: their weighted squared distance from that of all samples.",
    formula: "H_q = Σ_k p_k |h_k − π|²",
  },
  cv_n: {
    label: "CV_n",
    meaning: "Coefficient of variation of client sizes: their standard deviation over their mean.",
  },
  eps_part: {
    label: "ε_part",
    meaning:
      "How far the clients' histograms are from the drawn ones, since samples are whole and repair moves some.",
    formula: "ε_part = mean over clients of |h_k − drawn h_k|₁",
  },
  input_w1: {
    label: "input W_1",
    meaning:
      "Mean transport distance between the clients' inputs, by optimal matching of equally many samples.",
  },
  sizes: { label: "n_min – n_max", meaning: "Samples of the smallest and of the largest client." },
  moved: { label: "moved", meaning: "Samples that repair moved to bring every client to the minimum size." },
  alpha_implied: {
    label: "implied α",
    meaning: "The α whose expected H_u is that of this split, which was not drawn with one.",
  },
  client_mean: {
    label: "Mean solution",
    meaning:
      "The centroids of a client's bins, weighted by its samples: what the distance sees of the client.",
    formula: "Σ_b h_k(b) centroid_b",
  },
  w1: {
    label: "W_1",
    meaning: "Least cost of carrying one client's histogram to the other: mass times distance of centroids.",
    formula: "W_1(h_i, h_j) = min Σ m_{ab} c_{ab}, m carries h_i to h_j",
  },
  proportion: {
    label: "share",
    meaning: "Colour is the share of a client's samples that lie in the bin; the number counts them.",
  },
  cost: {
    label: "cost",
    meaning: "Distance between the centroids of two bins, in units of the responses' scale s_u.",
    formula: "c_{ab} = |centroid_a − centroid_b| / s_u",
  },
  shards: ofOption(shards.options.shards, "Shards per client"),
  bins_per_client: ofOption(pathological.options.bins_per_client, "Bins per client"),
  base: ofOption(PARTITIONERS["client-dirichlet"].options.base, "Mean composition"),
  sizes_law: ofOption(sizes.options.sizes, "Sizes"),
  sigma: ofOption(sizes.options.sigma, "Spread σ"),
  size_alpha: ofOption(sizes.options.size_alpha, "Concentration of sizes"),
  by: ofOption(by.options.by, "Attribute"),
  ranges: ofOption(by.options.ranges, "Ranges"),
  strictness: ofOption(by.options.strictness, "Strictness"),
  input_bins: ofOption(PARTITIONERS["input-bins"].options.input_bins, "Clusters of inputs"),
} as const satisfies Words;
