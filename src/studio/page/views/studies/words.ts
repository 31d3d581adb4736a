import type { Words } from "../../glossary.js";

/** Words of the view of studies. */
export const STUDIES_WORDS = {
  study: { label: "Study", meaning: "A grid of training runs in one folder, written by study or train." },
  study_along: {
    label: "Compare along",
    meaning:
      "What levels differ in: the concentration, or a setting. All else is the same in the levels of a comparison.",
  },
  study_measure: { label: "Measure", meaning: "The column of the seed-level table that is drawn." },
  study_checkpoint: {
    label: "At round",
    meaning:
      "Runs are measured at checkpoints; results are compared at the last one unless you choose another.",
  },
  study_filter: {
    label: "Only runs with",
    meaning: "Choose values to see only these runs; several values of one setting are alternatives.",
  },
  study_runs: {
    label: "Runs",
    meaning: "One square for each run that the study asks for, in the order of its plan.",
  },
  study_level: {
    label: "Level",
    meaning: "One value of what is compared; the differences are from the first level.",
  },
  study_mean: {
    label: "Mean (sd)",
    meaning: "Mean over seeds, with the sample standard deviation in parentheses.",
  },
  study_difference: {
    label: "Difference from the first [95 %]",
    meaning:
      "Mean over seeds of the difference from the first level with the same seed, with its Student-t interval.",
    formula: "d = mean of x_{s,level} − x_{s,first}, d ± t_{0.975, n−1} · sd / √n",
  },
  study_seeds: { label: "Seeds", meaning: "How many runs a mean is over: one for each seed." },
  study_curves: {
    label: "Over rounds",
    meaning:
      "Means over seeds at the checkpoints; bands are 95 % intervals from four seeds on, thin lines are single seeds.",
  },
  study_points: {
    label: "Seeds and mean",
    meaning:
      "Small dots are single seeds, the marker is their mean, the bar its 95 % interval from four seeds on.",
  },
  study_test_error: {
    label: "Test error",
    meaning: "Error of the trained model on the test set, relative to the responses.",
    formula: "e = ‖prediction − truth‖₂ / ‖truth‖₂",
  },
  study_excess_error: {
    label: "Excess over the reference",
    meaning:
      "Test error less that of the near-IID run with the same seed, in percentage points; positive is worse.",
    formula: "Δe = 100 (e_α − e_ref)",
  },
  study_d_theta: {
    label: "D_θ",
    meaning:
      "Distance of the parameters from those of the reference at the same round, relative to their norm.",
    formula: "D_θ = ‖θ − θ_ref‖ / ‖θ_ref‖",
  },
  study_d_loc: {
    label: "D_loc",
    meaning: "Squared distance of the clients' parameters from their average at the end of a round.",
  },
  study_h_g_norm: {
    label: "H_g^norm",
    meaning:
      "Spread of the clients' gradients about their mean at the shared start, from 0 (all alike) to 1.",
  },
  study_d_sol: {
    label: "D_sol",
    meaning: "Mean transport distance between the clients' histograms over solution bins.",
    formula: "D_sol = mean over pairs of W_1(h_i, h_j)",
  },
  study_d_sol_floor: {
    label: "Floor of D_sol",
    meaning: "D_sol of IID splits into clients of the same sizes: less cannot be expected.",
  },
  study_input_w1: {
    label: "W_1 of inputs",
    meaning: "Mean transport distance between the inputs of two clients.",
  },
  study_client_error_mean: {
    label: "Clients' error",
    meaning: "Error of a client on the test set weighted to its bins, averaged over clients.",
  },
  study_client_error_worst: {
    label: "Worst client",
    meaning: "The largest error of a client on the test set weighted to its bins.",
  },
  study_client_error_spread: {
    label: "Spread of clients",
    meaning: "Standard deviation of the clients' errors.",
  },
  study_communication: {
    label: "Communication",
    meaning: "Megabytes that all participants of a round receive and send.",
  },
  study_cv_n: { label: "CV_n", meaning: "Standard deviation of the clients' sizes over their mean." },
  study_n_min: { label: "Smallest client", meaning: "Samples of the smallest client." },
  study_n_max: { label: "Largest client", meaning: "Samples of the largest client." },
  study_h_q: {
    label: "H_q",
    meaning: "Squared distance of a client's histogram over bins from the global one, averaged over clients.",
  },
  study_h_w: {
    label: "H_W",
    meaning: "Squared transport distance of a client's histogram from the global one, averaged over clients.",
  },
  study_tv: {
    label: "Total variation",
    meaning: "Total variation between the histograms of two clients, averaged.",
  },
  study_js: {
    label: "Jensen-Shannon",
    meaning: "Jensen-Shannon distance between the histograms of two clients, averaged.",
  },
  study_eps_part: {
    label: "ε_part",
    meaning: "How far realised histograms are from the drawn ones, due to rounding and repair.",
  },
  study_eps_quant: {
    label: "ε_quant",
    meaning: "Mean distance of a response from the centroid of its bin.",
  },
  study_train_loss: { label: "Training loss", meaning: "Mean squared error over all training samples." },
} as const satisfies Words;
