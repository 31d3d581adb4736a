import { flowPanels } from "./flow-view.js";
import {
  curve,
  type ImagePanel,
  plane,
  type SampleFields,
  type SamplePanel,
  type SamplePanels,
  spaceTime,
} from "./sample-panel.js";
import { channelOf, type SampledField } from "./sampled-field.js";
import { seismicPanels } from "./seismic-view.js";

/** What stands over a picture and beside its scale: `Pressure`, `pressure $p$`. */
export interface PanelText {
  readonly title: string;
  readonly quantity: string;
}

/** How samples are drawn: arrays by their axes, channels before and after, a flow past a body, or shot gathers. */
export type SampleStyle =
  | { readonly kind: "fields"; readonly input: PanelText; readonly response: PanelText }
  | {
      readonly kind: "states";
      readonly channels: readonly { readonly symbol: string; readonly quantity: string }[];
    }
  | { readonly kind: "flow" }
  | { readonly kind: "seismic" };

/** A sample drawn in a style that fits its axes. */
export function stylePanels(style: SampleStyle, sample: Required<SampleFields>): SamplePanels {
  switch (style.kind) {
    case "fields":
      return {
        input: [fieldPanel(sample.input, style.input)],
        response: [fieldPanel(sample.response, style.response)],
      };
    case "states":
      return statePanels(style.channels, sample);
    case "flow":
      return flowPanels(sample);
    case "seismic":
      return seismicPanels(sample);
  }
}

/** A curve, a map of space and time, or a plane. */
function fieldPanel(field: SampledField, { title, quantity }: PanelText): SamplePanel {
  if (field.axes.length === 1) return curve(field, title, quantity);
  return isTimed(field) ? spaceTime(field, title, quantity) : plane(field, title, quantity);
}

/** Whether one of the axes is time. */
export const isTimed = ({ axes }: Pick<SampledField, "axes">): boolean =>
  axes.some(({ name }) => /^(t|time|times)$/i.test(name));

/** Every channel before and after. Files that hold the first one alone may have several frames: the last is shown. */
function statePanels(
  channels: Extract<SampleStyle, { kind: "states" }>["channels"],
  { input, response }: Required<SampleFields>,
): SamplePanels {
  const complete = input.shape[0] === channels.length && response.shape[0] === channels.length;
  const panels = (field: SampledField, when: string): ImagePanel[] =>
    (complete ? channels : channels.slice(0, 1)).map(({ symbol, quantity }, i) =>
      plane(channelOf(field, complete ? i : field.shape[0] - 1), `${symbol} ${when}`, quantity),
    );
  return { input: panels(input, "before"), response: panels(response, "after") };
}
