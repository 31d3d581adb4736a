import { extent } from "../../../../figures/samples/extent.js";
import { isImage, type SamplePanel } from "../../../../figures/samples/sample-panel.js";
import type { Scales } from "../../parts/field/shared-scales.js";
import { Mathematics } from "../../parts/mathematics.js";

/** What the frames of small curves span, which have no ticks of their own. */
export function FrameWords({ panel, scales }: { readonly panel: SamplePanel; readonly scales: Scales }) {
  const limits = scales.limits.get(panel.quantity);
  if (isImage(panel) || !limits) return null;
  const [left, right] = extent(panel.curve.x);
  const number = (value: number) => String(Number(value.toPrecision(3))).replace("-", "−");
  return (
    <p class="faint small frame-words">
      each frame: <Mathematics text={panel.quantity} /> {number(limits[0])} to {number(limits[1])} over{" "}
      <Mathematics text={panel.xLabel} /> {number(left)} to {number(right)}
    </p>
  );
}
