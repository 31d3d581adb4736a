import { verbatim } from "../../../../analysis/notation.js";
import type { ArrayDescription } from "../../../../datasets/dataset.js";
import { sourceOf } from "../../../../datasets/sources.js";
import { plainPanels } from "../../../../figures/samples/plain-view.js";
import { curve, type SamplePanel, type SamplePanels } from "../../../../figures/samples/sample-panel.js";
import { stylePanels } from "../../../../figures/samples/sample-views.js";
import { type SampledField, withoutSingletons } from "../../../../figures/samples/sampled-field.js";
import type { DataFacts, SampleView } from "../../../lab/lab.js";
import { sampledField } from "./sampled.js";

/** Input and response of a sample as panels: in the style of its task, else by their axes. */
export function samplePanels(data: DataFacts, { input, response }: SampleView): SamplePanels {
  const { inputs, responses } = data.description;
  const given = input && sampledField(inputs, data.coordinates, input);
  const found = sampledField(responses, data.coordinates, response);
  const style = styleOf(data);
  if (style && given) return stylePanels(style, { input: given, response: found });
  return {
    input: given ? plain(inputs, given, "Input") : [],
    response: plain(responses, found, "Response"),
  };
}

/** A response alone as panels; it may be a centroid. */
export function responsePanels(data: DataFacts, values: ArrayLike<number>): readonly SamplePanel[] {
  const { responses } = data.description;
  const response = sampledField(responses, data.coordinates, values);
  const style = styleOf(data);
  if (!style) return plain(responses, response, "Response");
  // A style asks for an input too. Shot gathers are large, so there are none; others have the shape of a response.
  const input = style.kind === "seismic" ? { ...response, shape: [0], values: [] } : response;
  return stylePanels(style, { input, response }).response;
}

const styleOf = ({ origin }: DataFacts) =>
  origin.kind === "task" ? sourceOf(origin.options.task).picture : undefined;

function plain(
  { label, unit }: ArrayDescription,
  field: SampledField,
  heading: "Input" | "Response",
): readonly SamplePanel[] {
  if (withoutSingletons(field).shape.length > 0) return plainPanels(field, { label, unit, heading });
  const quantity = unit === undefined ? verbatim(label) : `${verbatim(label)} (${verbatim(unit)})`;
  const one = { values: field.values, shape: [1], axes: [{ name: "number" }] };
  return [{ ...curve(one, heading, quantity), numbers: true }];
}
