import { flowPanels } from "./flow-view.js";
import {
  curve,
  type ImagePanel,
  plane,
  type SampleFields,
  type SamplePanels,
  spaceTime,
} from "./sample-panel.js";
import { channelOf, type SampledField } from "./sampled-field.js";
import { seismicPanels } from "./seismic-view.js";

/** How a task's samples are drawn. */
export interface SampleView {
  readonly title: string;
  /** Names of the axes of input and response, in the order of the arrays, where the file does not tell. */
  readonly inputAxes: readonly string[];
  readonly responseAxes: readonly string[];
  /** Units of axes by their names, where the file does not tell. */
  readonly units?: Readonly<Record<string, string>>;
  readonly panels: (sample: Required<SampleFields>) => SamplePanels;
}

export const SAMPLE_VIEWS: Readonly<Record<string, SampleView>> = {
  antiderivative: {
    title: "Antiderivative",
    inputAxes: ["x"],
    responseAxes: ["x"],
    panels: ({ input, response }) => ({
      input: [curve(input, "Input", "$a$($x$)")],
      response: [curve(response, "Response", "$u$($x$)")],
    }),
  },
  burgers: {
    title: "Burgers",
    inputAxes: ["x"],
    responseAxes: ["x", "t"],
    panels: ({ input, response }) => ({
      input: [curve(input, "Initial state", "u_0($x$)")],
      response: [spaceTime(response, "Solution", "$u$($x$, $t$)")],
    }),
  },
  "diffusion-reaction": {
    title: "Diffusion-reaction",
    inputAxes: ["x"],
    responseAxes: ["x", "t"],
    panels: ({ input, response }) => ({
      input: [curve(input, "Source", "$f$($x$)")],
      response: [spaceTime(response, "Solution", "$u$($x$, $t$)")],
    }),
  },
  darcy: {
    title: "Darcy flow",
    inputAxes: ["x", "y"],
    responseAxes: ["x", "y"],
    panels: ({ input, response }) => ({
      input: [plane(input, "Permeability", "permeability $a$")],
      response: [plane(response, "Pressure", "pressure $p$")],
    }),
  },
  "dam-break": {
    title: "Radial dam break",
    inputAxes: ["channel", "x", "y"],
    responseAxes: ["channel", "x", "y"],
    panels: waterPanels,
  },
  cylinder: {
    title: "Cylinder flow",
    inputAxes: ["channel", "y", "x"],
    responseAxes: ["channel", "y", "x"],
    units: { x: "m", y: "m" },
    panels: flowPanels,
  },
  "flat-velocity": {
    title: "Flat velocity layers",
    inputAxes: ["source", "time", "receiver"],
    responseAxes: ["depth", "x"],
    units: { source: "m", time: "s", receiver: "m", depth: "m", x: "m" },
    panels: seismicPanels,
  },
};

const WATER = [
  { symbol: "$h$", quantity: "water depth $h$" },
  { symbol: "$hu$", quantity: "discharge $hu$" },
  { symbol: "$hv$", quantity: "discharge $hv$" },
];

/** Depth and discharges. Files that hold the depth alone may have several frames of it: the last one is shown. */
function waterPanels({ input, response }: Required<SampleFields>): SamplePanels {
  const complete = input.shape[0] === WATER.length && response.shape[0] === WATER.length;
  const panels = (field: SampledField, when: string): ImagePanel[] =>
    (complete ? WATER : WATER.slice(0, 1)).map(({ symbol, quantity }, i) =>
      plane(channelOf(field, complete ? i : field.shape[0] - 1), `${symbol} ${when}`, quantity),
    );
  return { input: panels(input, "before"), response: panels(response, "after") };
}
