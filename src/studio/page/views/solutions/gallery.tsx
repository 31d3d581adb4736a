import { useEffect, useRef } from "preact/hooks";
import { isImage, type SamplePanel } from "../../../../figures/samples/sample-panel.js";
import type { BinPicture } from "../../../../partition/bin-pictures.js";
import { chosenPart } from "../../parts/field/chosen-part.js";
import { ColorBar } from "../../parts/field/color-bar.js";
import { PanelView } from "../../parts/field/panel-view.js";
import { limited, type Scales } from "../../parts/field/shared-scales.js";
import { Term } from "../../parts/term.js";
import { change, settings } from "../../state.js";
import { BinMark } from "./bin-mark.js";
import { countWords } from "./count-words.js";
import { FrameWords } from "./frame-words.js";
import { chosenBin, type Gallery, pointedGroup } from "./state.js";
import { Thumb } from "./thumb.js";
import { thumbHeight } from "./thumbs.js";

interface GalleryProps {
  readonly gallery: Gallery;
  readonly colorOf: (bin: number) => string | undefined;
}

/** All bins by their centroids, in one scale. Hover makes a bin stand out on the map; a click shows its members. */
export function BinGallery({ gallery, colorOf }: GalleryProps) {
  const { centroids, scales, pictures } = gallery;
  const part = chosenPart(centroids[0], settings.value.part);
  const panel = centroids[0][part];
  const scale = scales.colors.get(panel.quantity);
  return (
    <section class="card solutions-gallery" aria-label="Bins">
      <header class="solutions-head">
        <h2>
          {countWords(pictures.bins.length, "bin")} by{" "}
          <Term name="centroid">{`centroid${pictures.bins.length === 1 ? "" : "s"}`}</Term>
        </h2>
        {scale && isImage(panel) ? (
          <ColorBar scale={scale} label={panel.quantity} width={200} />
        ) : (
          <FrameWords panel={panel} scales={scales} />
        )}
      </header>
      <div class="thumbs">
        {pictures.bins.map((picture) => (
          <BinCard
            key={picture.bin}
            picture={picture}
            panel={centroids[picture.bin][part]}
            scales={scales}
            color={colorOf(picture.bin)}
          />
        ))}
      </div>
    </section>
  );
}

/** Scrolls the list to a card of it; the page stays where it is. */
function showWithin(card: HTMLElement): void {
  const list = card.parentElement!;
  const top = card.offsetTop - list.offsetTop;
  const most = top - 2;
  const least = top + card.offsetHeight + 2 - list.clientHeight;
  if (list.scrollTop > most || list.scrollTop < least) list.scrollTop = Math.min(most, Math.max(least, 0));
}

interface BinCardProps {
  readonly picture: BinPicture;
  readonly panel: SamplePanel;
  readonly scales: Scales;
  readonly color: string | undefined;
}

function BinCard({ picture: { bin, samples, spread, silhouette }, panel, scales, color }: BinCardProps) {
  const card = useRef<HTMLDivElement>(null);
  const isChosen = bin === chosenBin.value;
  useEffect(() => {
    if (isChosen) showWithin(card.current!);
  }, [isChosen]);
  const words = [
    `Bin ${bin}: ${countWords(samples, "sample")}`,
    ...(spread === undefined ? [] : [`spread ${spread.toFixed(3)}`]),
    ...(silhouette === undefined ? [] : [`silhouette ${silhouette.toFixed(2)}`]),
  ];
  return (
    <Thumb
      place={card}
      label={words.join(", ")}
      isChosen={isChosen}
      onChoose={() => change({ bin })}
      onPoint={(isOn) => {
        pointedGroup.value = isOn ? { kind: "bin", index: bin } : undefined;
      }}
    >
      <span class="thumb-head">
        <BinMark bin={bin} color={color} />
        <span>{samples}</span>
      </span>
      <PanelView
        panel={limited(panel, scales)}
        scale={scales.colors.get(panel.quantity)}
        height={thumbHeight(panel)}
        hasAxes={false}
      />
      {spread !== undefined && <span class="faint">spread {spread.toFixed(2)}</span>}
    </Thumb>
  );
}
