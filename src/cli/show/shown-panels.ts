import { verbatim } from "../../analysis/notation.js";
import { OptionError } from "../../errors.js";
import { checkChoice } from "../../figures/samples/chosen-parts.js";
import { plainPanels } from "../../figures/samples/plain-view.js";
import {
  isImage,
  type SampleFields,
  type SamplePanel,
  type SamplePanels,
} from "../../figures/samples/sample-panel.js";
import { stylePanels } from "../../figures/samples/sample-views.js";
import { withoutSingletons } from "../../figures/samples/sampled-field.js";
import type { PictureOptions } from "../options/picture-options.js";
import type { ShownData, ShownLabel } from "./shown-data.js";

/** As the source's samples are drawn, or by their axes alone where the source is unknown or shapes are not its own. */
export function panelsOf(
  { source, sourceGeometry, input: inputText, response: responseText }: ShownData,
  { input, response }: SampleFields,
  { channel: channels, frame: frames, slice: slices }: PictureOptions,
): SamplePanels {
  const isOwn = [
    inputText.label,
    inputText.unit,
    responseText.label,
    responseText.unit,
    channels,
    frames,
    slices,
  ];
  if (source && sourceGeometry && input && isOwn.every((one) => one === undefined)) {
    const fit = [input, response].map((field, i) => {
      const rank = (i === 0 ? sourceGeometry.inputs : sourceGeometry.responses).axes.length;
      const fitting = field.shape.length > rank ? withoutSingletons(field) : field;
      return fitting.shape.length === rank ? fitting : undefined;
    });
    if (fit[0] && fit[1]) return stylePanels(source.style, { input: fit[0], response: fit[1] });
  }
  const parts = { channels, frames, slices };
  checkChoice(input ? [input, response] : [response], parts);
  // Where both are called alike, headings tell the one from the other.
  const alike = inputText.label !== undefined && inputText.label === responseText.label;
  const plain = (name: "Input" | "Response", { label = name, unit }: ShownLabel) => ({
    label,
    unit,
    ...(alike && { heading: name }),
    ...parts,
  });
  return {
    input: input ? plainPanels(input, plain("Input", inputText)) : [],
    response: plainPanels(response, plain("Response", responseText)),
  };
}

/** Panels with the headings, colours and limits that are asked for. */
export function restyled(
  { input, response }: SamplePanels,
  { labels, colormap: maps, limits: ends }: PictureOptions & { readonly labels?: readonly string[] | false },
): SamplePanels {
  const count = input.length + response.length;
  if (labels && labels.length !== count)
    throw new OptionError(
      `--labels has ${labels.length} texts for ${count} panels: give one for each, in their order`,
    );
  const style = (panel: SamplePanel, place: 0 | 1, index: number): SamplePanel => {
    const [map, limits] = [ofPair("--colormap", maps, place), ofPair("--limits", ends, place)];
    const named = labels ? { ...panel, title: verbatim(labels[index]), place: undefined } : panel;
    return isImage(named)
      ? { ...named, colors: { ...named.colors, ...(map && { map }), ...(limits && { limits }) } }
      : { ...named, ...(limits && { limits }) };
  };
  return {
    input: input.map((panel, i) => style(panel, 0, i)),
    response: response.map((panel, i) => style(panel, 1, input.length + i)),
  };
}

/** One value for input and response, or one of two. */
function ofPair<T>(flag: string, values: readonly T[] | undefined, place: 0 | 1): T | undefined {
  if (values !== undefined && values.length > 2)
    throw new OptionError(`${flag} takes one value, or two for input and response, not ${values.length}`);
  return values?.[values.length === 2 ? place : 0];
}
