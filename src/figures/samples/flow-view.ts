import { type ImagePanel, plane, type SampleFields, type SamplePanels } from "./sample-panel.js";
import { channelOf, places, type SampledField } from "./sampled-field.js";

/** A few cells beside the body have far more vorticity than the wake. */
const WAKE = 0.98;

/** Velocity and vorticity of a flow past a body before and after, the body masked. */
export function flowPanels({ input, response }: Required<SampleFields>): SamplePanels {
  const solid = atRest(input, response);
  return { input: flow(input, solid, "before"), response: flow(response, solid, "after") };
}

function flow(field: SampledField, solid: readonly boolean[], when: string): ImagePanel[] {
  const [u, v] = [channelOf(field, 0), channelOf(field, 1)];
  const shown = (part: SampledField, symbol: string, quantity: string) =>
    plane(masked(part, solid), `${symbol} ${when}`, quantity);
  return [
    shown(u, "$u$", "velocity $u$ (m/s)"),
    shown(v, "$v$", "velocity $v$ (m/s)"),
    { ...shown(vorticity(u, v), "ω", "vorticity ω (1/s)"), colors: { share: WAKE } },
  ];
}

/** Cells without any motion at both times: the inside of the body, whatever its place and size. */
function atRest(before: SampledField, after: SampledField): boolean[] {
  const parts = [before, after].flatMap((field) => [channelOf(field, 0), channelOf(field, 1)]);
  return Array.from(parts[0].values, (_, cell) => parts.every(({ values }) => values[cell] === 0));
}

function masked(field: SampledField, solid: readonly boolean[]): SampledField {
  return { ...field, values: Array.from(field.values, (value, cell) => (solid[cell] ? Number.NaN : value)) };
}

/** v_x - u_y by central differences, one-sided at the edges. */
function vorticity(u: SampledField, v: SampledField): SampledField {
  const across = u.axes[0].name === "x" ? 0 : 1;
  const [vx, uy] = [derivative(v, across), derivative(u, 1 - across)];
  return { ...u, values: vx.map((value, cell) => value - uy[cell]) };
}

function derivative(field: SampledField, axis: number): Float64Array {
  const [stride, length] = [axis === 0 ? field.shape[1] : 1, field.shape[axis]];
  const at = places(field, axis);
  return Float64Array.from(field.values, (_, cell) => {
    const i = Math.floor(cell / stride) % length;
    const [from, to] = [Math.max(0, i - 1), Math.min(length - 1, i + 1)];
    const value = (place: number) => field.values[cell + (place - i) * stride];
    return (value(to) - value(from)) / (at[to] - at[from]);
  });
}
