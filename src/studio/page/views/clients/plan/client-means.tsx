import { useMemo } from "preact/hooks";
import { colorScale } from "../../../../../figures/colormaps.js";
import { plainPanels } from "../../../../../figures/samples/plain-view.js";
import { isCurve, isImage, type SamplePanel } from "../../../../../figures/samples/sample-panel.js";
import type { BinsView, DataFacts, SplitView } from "../../../../lab/lab.js";
import { presentOf } from "../../../loadable.js";
import { ColorBar } from "../../../parts/field/color-bar.js";
import { curveTicks, PanelView } from "../../../parts/field/panel-view.js";
import { sampledField } from "../../../parts/field/sampled.js";
import type { Size } from "../../../parts/size-of.js";
import { Term } from "../../../parts/term.js";
import { bins, data } from "../../../state.js";
import { pair } from "../state.js";

/** Tallest picture, and what stands about it: ticks at its left, the edge of the last label, a gap, words above and below. */
const [MOST_HEIGHT, TICKS, EDGE, GAP, WORDS] = [138, 44, 10, 14, 96];

/** The mean solutions of the two clients, by the centroids of their bins: pictures on one scale, or two curves in a frame. */
export function ClientMeans({ split, width, height }: { readonly split: SplitView } & Size) {
  const [first, second] = pair.value;
  const facts = presentOf(data.value);
  const found = presentOf(bins.value);
  const panels = useMemo(() => {
    // While bins are fitted anew, the split is still of those before.
    if (!facts || !found || found.bins !== split.bins) return undefined;
    return [first, second].map((client) => meanPanel(split.counts[client], found, facts));
  }, [split, found, facts, first, second]);
  if (!panels) return null;
  const [one, other] = panels;
  if (isCurve(one) && isCurve(other))
    return (
      <div class="means">
        <figure>
          <figcaption class="small">
            <Term name="client_mean" /> of <b class="is-first">▲ {first}</b> and dashed{" "}
            <b class="is-second">▼ {second}</b>
          </figcaption>
          <PanelView
            panel={{ ...one, aspect: 1.7 }}
            ticks={curveTicks([one.curve.y, other.curve.y])}
            others={[{ curve: other.curve, class: "prediction" }]}
            height={MOST_HEIGHT}
          />
        </figure>
      </div>
    );
  if (!isImage(one) || !isImage(other)) return null;
  const aspect = Math.min(1, one.aspect);
  const tall = Math.min(MOST_HEIGHT, height - WORDS, ((width - GAP) / 2 - TICKS - EDGE) / aspect);
  const scale = colorScale([one.image.values, other.image.values], one.colors);
  return (
    <div class="means">
      {[one, other].map((panel, at) => (
        <figure key={at}>
          <figcaption class="small">
            <Term name="client_mean" /> of{" "}
            <b class={at === 0 ? "is-first" : "is-second"}>
              {"▲▼"[at]} {pair.value[at]}
            </b>
          </figcaption>
          <PanelView panel={{ ...panel, aspect }} scale={scale} height={Math.round(tall)} />
          {at === 0 && <ColorBar scale={scale} label={panel.quantity} width={Math.round(aspect * tall)} />}
        </figure>
      ))}
    </div>
  );
}

/** The first picture of a client's mean response. */
function meanPanel(
  counts: readonly number[],
  { centroids }: BinsView,
  { description: { responses }, coordinates }: DataFacts,
): SamplePanel {
  const size = centroids.length / counts.length;
  const total = counts.reduce((a, b) => a + b, 0) || 1;
  const mean = new Float64Array(size);
  counts.forEach((count, bin) => {
    if (count > 0) for (let i = 0; i < size; i++) mean[i] += (count / total) * centroids[bin * size + i];
  });
  const { label, unit } = responses;
  return plainPanels(sampledField(responses, coordinates, mean), { label, unit })[0];
}
