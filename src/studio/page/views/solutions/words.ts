import type { Words } from "../../glossary.js";

/** Words of the view of solutions. */
export const SOLUTIONS_WORDS = {
  bins: { label: "Bins $B$", meaning: "Number of clusters of solution fields, found by k-means." },
  bin_seed: {
    label: "Seed",
    meaning: "Fixes the start of k-means, and the split: the same seed finds the same bins.",
  },
  color: {
    label: "Colour by",
    meaning: "What the colour of a point on the map means: its bin, or the client that holds it.",
  },
  part: {
    label: "Shown part",
    meaning: "Which channel, frame or slice of a response stands for the whole in small pictures.",
  },
  bin: { label: "Bin", meaning: "The bin whose samples are shown; bin 0 is the largest." },
  sample: { label: "Sample", meaning: "Number of the training sample in the data, counted from 0." },
  solution_map: {
    label: "Map of solutions",
    meaning:
      "Each point is one training sample, drawn by its two principal components; near points have similar solutions.",
    formula: "$u$ ≈ u_mean + s_u (c_1 v_1 + c_2 v_2)",
  },
  explained: {
    label: "explained variance",
    meaning:
      "Share of the variance of all responses that the centroids describe: 100 % leaves nothing, noise explains little.",
    formula: "1 − sum of |u_i − c_{b(i)}|² / sum of |u_i − u_mean|²",
  },
  noise: {
    label: "white noise",
    meaning: "What as many bins of as many samples would explain if the responses were white noise, about.",
    formula: "1 − exp(−2 ln $B$ / $m$) + ($B$ − 1) / ($n$ − 1), $n$ responses of $m$ numbers",
  },
  eps_quant: {
    label: "ε_quant",
    meaning:
      "Quantisation error: the mean distance of a response from its centroid, in units of s_u, the standard deviation.",
    formula: "ε_quant = mean of |u_i − c_{b(i)}| / s_u",
  },
  silhouette: {
    label: "silhouette",
    meaning:
      "How much nearer samples are to their own centroid than to the next: 1 far apart, 0 at the border.",
    formula: "mean of ($b$ − $a$) / max($a$, $b$), $a$: own centroid, $b$: next centroid",
  },
  spread: {
    label: "spread",
    meaning: "Mean distance of the samples of a bin from its centroid, in units of s_u.",
  },
  variance_left: {
    label: "variance left",
    meaning: "Share of the variance of all responses that stays within this bin.",
  },
  next_bin: {
    label: "next bin",
    meaning: "The bin that most of these samples are nearest to beside their own.",
  },
  centroid: {
    label: "centroid",
    meaning: "Mean of the responses of a bin, in the units of the data.",
    formula: "c_b = mean of u_i over the samples $i$ of bin $b$",
  },
  centroid_distance: {
    label: "from centroid",
    meaning: "Distance of this response from the centroid of its bin, in units of s_u.",
    formula: "|u_i − c_b| / s_u",
  },
} as const satisfies Words;
