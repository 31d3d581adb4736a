import type { Words } from "../../glossary.js";

/** Words of the view of training. */
export const TRAINING_WORDS = {
  runs: {
    label: "Runs",
    meaning:
      "Federations that are trained side by side; each has the settings of the page but for what it changes.",
  },
  rounds: { label: "Rounds", meaning: "How often clients train and the server averages what they send." },
  local_steps: { label: "Local steps E", meaning: "Optimiser steps that a client takes in a round." },
  batch: { label: "Batch", meaning: "Samples of a local step." },
  rate: { label: "Learning rate η", meaning: "How far a local step goes along the optimiser's direction." },
  strategy: {
    label: "Strategy",
    meaning:
      "The federated algorithm: what clients add to their steps, and how the server uses what they send.",
  },
  model_size: {
    label: "Model size",
    meaning:
      "As small as a page trains quickly, or as the commands have it: the data decide which model it is.",
  },
  test_error: {
    label: "Test error",
    meaning: "Relative error of the server's model over all test samples.",
    formula: "‖G($a$) − $u$‖ / ‖$u$‖",
  },
  d_theta: {
    label: "D_θ",
    meaning:
      "Drift: how far the server's parameters are from those of the first run, relative to their norm.",
    formula: "D_θ = ‖θ − θ_ref‖ / ‖θ_ref‖",
  },
  d_loc: {
    label: "D_loc",
    meaning: "Dispersion: how far clients are from their mean at the end of a round.",
    formula: "D_loc = Σ_k p_k ‖θ_k − mean‖²",
  },
  train_loss: {
    label: "Training loss",
    meaning: "Mean squared error of the server's model over all training samples.",
    formula: "F = Σ_k p_k F_k",
  },
  h_g: {
    label: "H_g",
    meaning: "How much clients' gradients differ at the shared start, relative to their mean.",
    formula: "H_g = Σ_k p_k ‖∇F_k − ∇F‖² / ‖∇F‖²",
  },
  worst_client: {
    label: "Worst client",
    meaning: "Largest error of a client, on test samples of the bins that it trains on.",
  },
  round_time: {
    label: "Time a round",
    meaning: "What a round of this run takes in this page; before the start, about what it will take.",
  },
  updates: {
    label: "Updates",
    meaning:
      "Each arrow is what one client changed in a round: upwards along the mean of all, sideways where they differ most. All runs have one scale.",
    formula: "u_k = y_k − x",
  },
  plane_share: {
    label: "shown",
    meaning: "Share of the squared lengths of all updates that this plane shows; the rest points elsewhere.",
  },
  prediction: {
    label: "Prediction",
    meaning:
      "What the server's model predicts for a test sample, beside the solution, in the units of the data.",
  },
} as const satisfies Words;
