import { useLayoutEffect, useRef } from "preact/hooks";
import { isImage, type SamplePanel } from "../../../../figures/samples/sample-panel.js";
import { type DrawnParts, drawnPanels } from "../../../drawn-sample.js";
import type { DataFacts, SampleView } from "../../../lab/lab.js";
import { PanelView } from "../../parts/field/panel-view.js";
import { useSizeOf } from "../../parts/size-of.js";
import type { Scales } from "./sample-colors.js";
import { goTo, parts, shownHalf, shownSample, strip, stripLength, viewOf } from "./state.js";

interface NeighboursProps {
  readonly facts: DataFacts;
  /** A panel of the shown sample, whose counterparts the others show. */
  readonly like: SamplePanel;
  readonly scales: Scales;
}

/** Height of a small picture, and the room between two. */
const [HEIGHT, GAP] = [52, 8];
/** More than these are a crowd. */
const MOST = 15;

/** The responses of the samples around the one that is shown, to choose from. */
export function Neighbours({ facts, like, scales }: NeighboursProps) {
  const place = useRef<HTMLElement>(null);
  const room = useSizeOf(place);
  const width = Math.round(HEIGHT * like.aspect);
  const fitting = room ? Math.floor((room.width - 4 + GAP) / (width + GAP)) : 0;
  const length = Math.max(0, Math.min(MOST, fitting % 2 === 0 ? fitting - 1 : fitting));
  useLayoutEffect(() => {
    stripLength.value = length;
  }, [length]);
  const [half, shown] = [shownHalf.value, shownSample.value];
  return (
    <nav class="neighbours" aria-label="Samples around this one" ref={place}>
      {strip.value.map((sample) => {
        const view = viewOf(half, sample);
        const panel = view && panelLike(like, facts, view, parts.value);
        return (
          <button
            key={sample}
            type="button"
            aria-label={`Sample ${sample}`}
            aria-current={sample === shown ? "true" : undefined}
            onClick={() => goTo(sample)}
          >
            <span class="small-picture" style={{ width: `${width}px`, height: `${HEIGHT}px` }}>
              {panel && (
                <PanelView
                  panel={panel}
                  scale={scales.colors.get(panel.quantity)}
                  ticks={scales.ticks.get(panel.quantity)}
                  height={HEIGHT}
                  hasAxes={false}
                />
              )}
            </span>
            <span class="faint">{sample}</span>
          </button>
        );
      })}
    </nav>
  );
}

const drawn = new WeakMap<SampleView, { readonly key: string; readonly panel: SamplePanel | undefined }>();

/** The panel of a sample that shows the same as one of another sample. */
function panelLike(
  like: SamplePanel,
  facts: DataFacts,
  view: SampleView,
  chosen: DrawnParts,
): SamplePanel | undefined {
  const key = JSON.stringify([like.title, like.quantity, chosen]);
  const known = drawn.get(view);
  if (known?.key === key) return known.panel;
  const { response } = drawnPanels(facts, view, chosen);
  const panel = response.find(({ title, quantity }) => title === like.title && quantity === like.quantity);
  drawn.set(view, { key, panel });
  return panel;
}

/** The response that tells most in a small picture: of a flow its vorticity, else the first. */
export const tellingPanel = (response: readonly SamplePanel[]): SamplePanel | undefined =>
  response.find((panel) => isImage(panel) && panel.colors?.share !== undefined) ?? response[0];
