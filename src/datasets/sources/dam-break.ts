import { damBreakCoordinates, damBreakSampler } from "../../equations/dam-break.js";
import { realNumber } from "../../options/option.js";
import { fieldSource, gridOption } from "./field-source.js";

/** A round dam breaks, as in PDEBench, with both discharges. */
export const damBreak = fieldSource({
  title: "Dam break (simulated)",
  equation: "(h, hu, hv) at t = 0 -> (h, hu, hv) at t = time: shallow water, gravity 1, open boundaries",
  train: 800,
  test: 100,
  parameters: {
    grid: gridOption(128),
    time: realNumber({ help: "time from input to response", from: 1e-6, to: 100, default: 1 }),
  },
  labels: { input: "initial state", response: "later state" },
  channels: ["h", "hu", "hv"],
  axes: ["x", "y"],
  coordinates: damBreakCoordinates,
  sampler: damBreakSampler,
  picture: {
    kind: "states",
    title: "Radial dam break",
    channels: [
      { symbol: "$h$", quantity: "water depth $h$" },
      { symbol: "$hu$", quantity: "discharge $hu$" },
      { symbol: "$hv$", quantity: "discharge $hv$" },
    ],
  },
  color: "#e69f00",
});
