import { type ColorScale, colorScale, type Limits } from "../../../../figures/colormaps.js";
import { UNCLIPPED } from "../../../../figures/partitions/bin-card-layout.js";
import { extent } from "../../../../figures/samples/extent.js";
import { isCurve, isImage, type SamplePanel } from "../../../../figures/samples/sample-panel.js";
import { roundStep } from "../../../../figures/ticks.js";

/** How values become colours and heights, by quantity: one scale for all pictures of this view. */
export interface Scales {
  readonly colors: ReadonlyMap<string, ColorScale>;
  /** What the frames of curves span. */
  readonly limits: ReadonlyMap<string, Limits>;
}

/** Values of all pictures together from which scales are made: sorting millions would be felt. */
const VALUES = 300_000;
/** Parts into which the span of curves is divided at least; frames end at the next part. */
const PARTS = 16;

/** Scales that suit these panels. As in the figure of `bins`, a scale about zero leaves out the largest values. */
export function sharedScales(panels: readonly SamplePanel[]): Scales {
  const values = panels.reduce((sum, panel) => sum + (isImage(panel) ? panel.image.values.length : 0), 0);
  const step = Math.max(1, Math.ceil(values / VALUES));
  const quantities = [...new Set(panels.map(({ quantity }) => quantity))];
  const colors = new Map<string, ColorScale>();
  const limits = new Map<string, Limits>();
  for (const quantity of quantities) {
    const own = panels.filter((panel) => panel.quantity === quantity);
    const images = own.filter(isImage);
    const curves = own.filter(isCurve);
    if (images.length > 0)
      colors.set(
        quantity,
        colorScale(
          images.map(({ image }) => everyNth(image.values, step)),
          { share: UNCLIPPED, ...images[0].colors },
        ),
      );
    if (curves.length > 0)
      limits.set(quantity, curves[0].limits ?? roundLimits(curves.map(({ curve }) => curve.y)));
  }
  return { colors, limits };
}

/** Every n-th value, beside the least and the largest. */
function everyNth(values: ArrayLike<number>, step: number): ArrayLike<number> {
  if (step === 1) return values;
  const kept = Array.from({ length: Math.ceil(values.length / step) }, (_, i) => values[i * step]);
  return [...kept, ...extent(values)];
}

/** Round limits that hold all values, and zero. */
function roundLimits(curves: readonly ArrayLike<number>[]): Limits {
  const ranges = curves.map(extent);
  const low = Math.min(0, ...ranges.map(([least]) => least));
  const high = Math.max(0, ...ranges.map(([, most]) => most));
  if (low === high) return [low - 1, high + 1];
  const step = roundStep(high - low, PARTS);
  return [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
}

/** Scales for a sample: the shared ones, its own where nothing is shared, and room for curves that go beyond. */
export function scalesFor(shared: Scales, panels: readonly SamplePanel[]): Scales {
  const own = sharedScales(panels);
  const limits = [...own.limits].map(([quantity, [low, high]]) => {
    const [least, most] = shared.limits.get(quantity) ?? [low, high];
    return [quantity, [Math.min(low, least), Math.max(high, most)]] as const;
  });
  return { colors: new Map([...own.colors, ...shared.colors]), limits: new Map(limits) };
}

/** The panel of a curve with the shared limits of its quantity; that of a picture as it is. */
export function limited(panel: SamplePanel, { limits }: Pick<Scales, "limits">): SamplePanel {
  const shared = limits.get(panel.quantity);
  return isImage(panel) || !shared ? panel : { ...panel, limits: shared };
}
