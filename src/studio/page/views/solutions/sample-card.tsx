import { useMemo, useRef } from "preact/hooks";
import { type CurvePanel, isImage, type SamplePanel } from "../../../../figures/samples/sample-panel.js";
import { type Loadable, presentOf } from "../../loadable.js";
import { ColorBar } from "../../parts/field/color-bar.js";
import { PanelView } from "../../parts/field/panel-view.js";
import { limited, type Scales, scalesFor } from "../../parts/field/shared-scales.js";
import { Mathematics } from "../../parts/mathematics.js";
import { useSizeOf } from "../../parts/size-of.js";
import { Term } from "../../parts/term.js";
import { settings, split } from "../../state.js";
import { BinMark } from "./bin-mark.js";
import { clientName } from "./client-words.js";
import { AROUND, type PanelGroup, sampleLayout } from "./sample-layout.js";
import { type Chosen, chosenSample, type Gallery } from "./state.js";

/** Pixels that a caption needs. */
const LEAST_CAPTION = 60;
/** Pixels of colour bars, and what the label of one needs. */
const [LEAST_BAR, LONGEST_BAR, LEAST_LABEL] = [44, 200, 96];

interface SampleCardProps {
  readonly chosen: Loadable<Chosen>;
  readonly gallery: Gallery;
  readonly colorOf: (bin: number) => string | undefined;
}

/** The chosen sample: where it belongs, its response and its input. */
export function SampleCard({ chosen, gallery, colorOf }: SampleCardProps) {
  const found = presentOf(chosen);
  return (
    <section class="card solutions-sample" aria-label="Chosen sample">
      {chosenSample.value === undefined ? (
        <NoSample samples={gallery.data.description.train} />
      ) : chosen.kind === "failed" ? (
        <p class="notice failed" role="alert">
          {chosen.message}
        </p>
      ) : (
        found && <ShownSample chosen={found} gallery={gallery} colorOf={colorOf} />
      )}
    </section>
  );
}

function NoSample({ samples }: { readonly samples: number }) {
  const { half, sample } = settings.value;
  return (
    <>
      <h2>No sample chosen</h2>
      <p class="faint">
        {half === "test"
          ? "Data shows a sample for testing. Bins are made of training samples."
          : `There is no sample ${sample}: the training samples are 0 to ${samples - 1}.`}{" "}
        Click a point of the map to see its field.
      </p>
    </>
  );
}

function ShownSample({
  chosen: { sample, panels },
  gallery,
  colorOf,
}: {
  readonly chosen: Chosen;
  readonly gallery: Gallery;
  readonly colorOf: (bin: number) => string | undefined;
}) {
  const place = useRef<HTMLDivElement>(null);
  const size = useSizeOf(place) ?? { width: 0, height: 0 };
  const { bins } = gallery;
  const bin = bins.binOfSample[sample];
  const held = presentOf(split.value);
  const scales = useMemo(
    () => scalesFor(gallery.scales, [...panels.response, ...panels.input]),
    [gallery.scales, panels],
  );
  const groups: readonly PanelGroup[] = [
    { of: "response", panels: panels.response },
    { of: "input", panels: panels.input },
  ];
  const { rows, height, least } = sampleLayout(
    groups.filter((group) => group.panels.length > 0),
    size,
  );
  const centroid = gallery.centroids[bin];
  return (
    <>
      <header class="solutions-head" aria-live="polite">
        <h2>
          <Term name="sample" /> <span data-number="sample">{sample}</span>
        </h2>
        <p class="small facts">
          <span>
            <Term name="bin" /> <BinMark bin={bin} color={colorOf(bin)} />
          </span>
          {held && <span>{clientName(held, held.clientOfSample[sample])}</span>}
          <span>
            {bins.distances[sample].toFixed(3)} <Mathematics text="s_u" /> <Term name="centroid_distance" />
          </span>
        </p>
      </header>
      <div ref={place} class="sample-panels" style={{ minHeight: `${size.width > 0 ? least : 0}px` }}>
        {size.width > 0 &&
          rows.map((row, i) => (
            <div key={i} class="panel-row">
              {row.map((group) => (
                <GroupView
                  key={group.of}
                  group={group}
                  height={height}
                  scales={scales}
                  centroid={group.of === "response" ? centroid : undefined}
                />
              ))}
            </div>
          ))}
      </div>
    </>
  );
}

interface GroupViewProps {
  readonly group: PanelGroup;
  /** Of the frames, in pixels. */
  readonly height: number;
  readonly scales: Scales;
  /** The centroid of a response, which curves are compared with. */
  readonly centroid: readonly SamplePanel[] | undefined;
}

/** The panels of the response or of the input: axes at the first, and a colour bar for each quantity. */
function GroupView({ group: { panels }, height, scales, centroid }: GroupViewProps) {
  const images = panels.filter(isImage);
  const quantities = [...new Set(images.map(({ quantity }) => quantity))];
  const isCompared = centroid?.some((panel) => !isImage(panel));
  const hasBarEach = quantities.length === panels.length;
  const width = (some: readonly SamplePanel[]) =>
    some.reduce((sum, { aspect }) => sum + Math.round(height * aspect) + AROUND.gap, -AROUND.gap);
  return (
    <div>
      <div class="panel-list">
        {panels.map((panel, i) => (
          <figure key={i} class="sample-panel">
            <figcaption class={i === 0 ? "first" : ""} style={captionStyle(panels, i, height)}>
              <Mathematics text={titleOf(panel, panels[i - 1])} />
              {isCompared && (
                <span class="faint">
                  {" – – "}
                  <Term name="centroid" />
                </span>
              )}
            </figcaption>
            <PanelView
              panel={limited(panel, scales)}
              scale={scales.colors.get(panel.quantity)}
              height={height}
              hasAxes={i === 0}
              others={centroidOf(centroid?.[i])}
            />
            {hasBarEach && <Bar quantity={panel.quantity} scales={scales} width={width([panel])} />}
          </figure>
        ))}
      </div>
      {!hasBarEach &&
        quantities.map((quantity) => (
          <Bar
            key={quantity}
            quantity={quantity}
            scales={scales}
            width={Math.min(LONGEST_BAR, width(images.filter((panel) => panel.quantity === quantity)))}
          />
        ))}
    </div>
  );
}

/** The colour bar of a quantity, under the frames that it belongs to. Where it is short, captions say what it is of. */
function Bar({
  quantity,
  scales,
  width,
}: {
  readonly quantity: string;
  readonly scales: Scales;
  readonly width: number;
}) {
  return (
    <ColorBar
      scale={scales.colors.get(quantity)!}
      label={width < LEAST_LABEL ? "" : quantity}
      width={Math.max(LEAST_BAR, width)}
    />
  );
}

/** Narrow frames have no captions, but the first has room over all of them. */
function captionStyle(panels: readonly SamplePanel[], i: number, height: number) {
  const width = Math.min(...panels.map(({ aspect }) => height * aspect));
  if (width < LEAST_CAPTION)
    return { width: "0", ...(i === 0 ? { overflow: "visible" } : { visibility: "hidden" }) };
  return { width: `${height * panels[i].aspect + (i === 0 ? AROUND.left - AROUND.gap : 0)}px` };
}

const centroidOf = (panel: SamplePanel | undefined) =>
  panel && !isImage(panel) && !panel.numbers
    ? [{ curve: (panel as CurvePanel).curve, class: "prediction" }]
    : [];

/** Title and place of a panel, without the title that the one before has too. */
const titleOf = ({ title, subtitle, place, quantity }: SamplePanel, before?: SamplePanel): string =>
  [
    before && before.title === title ? undefined : (title ?? (before ? undefined : quantity)),
    place ?? subtitle,
  ]
    .filter((text) => text?.trim())
    .join(", ");
