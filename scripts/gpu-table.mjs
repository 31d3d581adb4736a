/** Rounds on a GPU beside JAX and PyTorch, as `bench/cuda.mjs --json docs/results/records/bench-cuda.json` measured them. */
import { readFileSync } from "node:fs";
import { runsOf } from "../bench/cuda-cases.mjs";

const TITLES = {
  antiderivative: "Antiderivative",
  burgers: "Burgers",
  "diffusion-reaction": "Diffusion-reaction",
  fno2d: "FNO2D, 64 x 64, batch 16",
  "fno2d-128": "FNO2D, 128 x 128, batch 16",
  fno1d: "FNO1D, 1024 points, width 64, batch 32",
  fno3d: "FNO3D, 32 x 32 x 32, width 20, batch 4",
  "deeponet-64": "DeepONet, 64 x 64 points, width 64, batch 64",
  "inversion-net-1000": "InversionNet-lite, 1000 samples in time",
  "inversion-net-250": "InversionNet-lite, 250 samples in time",
};

const file = new URL("../docs/results/records/bench-cuda.json", import.meta.url);

/** A section of a page in Markdown. */
export function gpuSection() {
  const { cases, hardware, jax, pytorch } = JSON.parse(readFileSync(file, "utf8"));
  const number = (value) => (value === undefined ? "–" : value.toPrecision(3));
  const together = (name, value) => (value === undefined ? "–" : `${number(value)} (${runsOf(name)} runs)`);
  const beside = (value, own) =>
    value === undefined ? "–" : `${number(value)} (${(value / own).toFixed(1)}x)`;
  const rows = Object.entries(cases).map(
    ([name, { ours_ms, replicas_ms, jax_ms, pytorch_ms }]) =>
      `| ${TITLES[name]} | ${number(ours_ms)} | ${together(name, replicas_ms)} | ${beside(jax_ms, ours_ms)} | ${beside(pytorch_ms, ours_ms)} |`,
  );
  return [
    "## Rounds on a GPU",
    "",
    `Milliseconds of a round of 10 clients with 5 local Adam steps on one ${hardware.gpu}, in ${hardware.precision}, and of a`,
    `run's round where several runs go side by side as one program; JAX ${jax} with the whole round compiled and PyTorch ${pytorch}`,
    "with the usual loop over clients on the same GPU, the fastest of all calls, and how many times as long as one run here",
    "they take.",
    "",
    "| | one run | per run, side by side | JAX | PyTorch |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    "Measured by `node bench/cuda.mjs --json docs/results/records/bench-cuda.json`.",
  ];
}
