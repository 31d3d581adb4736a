import type { SeedRecord } from "../../src/records/seed-record.js";

/** A row of the seed-level table. */
export const sampleRecord: SeedRecord = {
  study: "controlled",
  task: "burgers",
  viscosity: 0.05,
  clients: 10,
  optimizer: "adam",
  changed: "",
  alpha: 0.01,
  reference_alpha: 100,
  seed: 2026,
  round: 1000,
  d_sol: 1.1490000000000002,
  input_w1: 1.07,
  cv_n: 0.835,
  eps_part: 0.04,
  eps_quant: 0.387,
  h_g_norm: 0.6666666666666666,
  d_theta: 0.95,
  test_error: 0.1372,
  reference_error: 0.1305,
  excess_error: 0.67,
  d_loc: 0.0012,
  run_id: "burgers-alpha-0.01-seed-2026-0123456789",
};
