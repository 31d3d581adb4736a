import { type ImagePanel, proportions, type SampleFields, type SamplePanels } from "./sample-panel.js";
import { channelOf, picture, type SampledField } from "./sampled-field.js";

/** Limits by which amplitudes and velocities are scaled to [-1, 1]: those that OpenFWI fixes for its FlatVel-A. */
const AMPLITUDES = [-26.95, 52.77] as const;
const VELOCITIES = [1500, 4500] as const;

/** The strongest arrivals are clipped, so that reflections are seen. */
const UNCLIPPED = 0.98;

/** The shot gathers, time running down, beside the velocity of the ground. */
export function seismicPanels({ input, response }: Required<SampleFields>): SamplePanels {
  const gathers = Array.from({ length: input.shape[0] }, (_, shot) => gather(input, shot));
  const velocity = isScaled(response) ? unscaled(response, ...VELOCITIES) : response;
  const image = picture(velocity, "x", "down");
  return {
    input: gathers,
    response: [
      { title: "Velocity", subtitle: " ", quantity: "velocity (m/s)", aspect: proportions(image), image },
    ],
  };
}

function gather(input: SampledField, shot: number): ImagePanel {
  const field = channelOf(input, shot);
  const scaled = isScaled(input);
  const place = input.axes[0].values?.[shot];
  const amplitudes = scaled ? unscaled(field, ...(AMPLITUDES.map(logarithm) as [number, number])) : field;
  return {
    title: shot === 0 ? "Shot gathers" : undefined,
    subtitle: place === undefined ? `source ${shot + 1}` : `x_s = ${Math.round(place)} m`,
    quantity: scaled ? "pressure $p$ as sign($p$) ln(1 + |$p$|)" : "pressure $p$",
    aspect: 0.42,
    image: { ...picture(amplitudes, "receiver", "down"), smooth: true },
    colors: { map: "black-white", share: UNCLIPPED },
  };
}

/** Where the file holds physical units they exceed one by far. */
function isScaled({ values }: SampledField): boolean {
  return Array.prototype.every.call(values, (value: number) => Math.abs(value) < 1.5);
}

/** From [-1, 1] back to [low, high]. */
function unscaled(field: SampledField, low: number, high: number): SampledField {
  return { ...field, values: Array.from(field.values, (value) => low + ((value + 1) / 2) * (high - low)) };
}

function logarithm(amplitude: number): number {
  return Math.sign(amplitude) * Math.log1p(Math.abs(amplitude));
}
