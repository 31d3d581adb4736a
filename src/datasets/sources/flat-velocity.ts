import {
  flatVelocityCoordinates,
  flatVelocityInputShape,
  flatVelocitySampler,
} from "../../equations/flat-velocity.js";
import { wholeNumber } from "../../options/option.js";
import type { Axis } from "../dataset.js";
import { coordinateAxis, type DataSource, type SourceParameters } from "../source.js";
import { LIKE_A_PUBLIC_FILE } from "./field-source.js";

/** Shot gathers over flat layers, and the velocity of the layers, as in OpenFWI. */
export const flatVelocity: DataSource = {
  ...LIKE_A_PUBLIC_FILE,
  title: "Flat velocity (simulated)",
  equation: "p(source, t, receiver) -> c(depth, x): p_tt / c^2 = p_xx + p_zz + shot, absorbing on all sides",
  train: 800,
  test: 200,
  model: { name: "inversion-net", options: {} },
  parameters: {
    stride: wholeNumber({ help: "keep every 1st, 2nd, 4th or 8th time step", from: 1, to: 8, default: 1 }),
  },
  check: (parameters) => void flatVelocityInputShape(parameters),
  geometry,
  sampler: flatVelocitySampler,
  picture: { kind: "seismic", title: "Flat velocity layers" },
  color: "#332288",
};

function geometry(parameters: SourceParameters) {
  const coordinates = flatVelocityCoordinates(parameters);
  const [sources] = flatVelocityInputShape(parameters);
  const axis = (name: string, unit: string, kind?: "time") =>
    coordinateAxis(name, coordinates[name], { kind, unit });
  const source: Axis = { kind: "channel", name: "source", length: sources, unit: "m", coordinates: "source" };
  return {
    inputs: { label: "pressure", axes: [source, axis("time", "s", "time"), axis("receiver", "m")] },
    responses: {
      label: "velocity",
      axes: [axis("depth", "m"), axis("x", "m")],
    },
    coordinates,
  };
}
