import { percent } from "../../../../partition/bin-quality.js";
import { presentOf } from "../../loadable.js";
import { chosenPart } from "../../parts/field/chosen-part.js";
import { PanelView } from "../../parts/field/panel-view.js";
import { limited } from "../../parts/field/shared-scales.js";
import { Term } from "../../parts/term.js";
import { change, settings, split } from "../../state.js";
import { BinMark } from "./bin-mark.js";
import { clientWords } from "./client-words.js";
import { countWords } from "./count-words.js";
import { chosenSample, type Gallery, type Members, type ShownMember } from "./state.js";
import { Thumb } from "./thumb.js";
import { thumbHeight } from "./thumbs.js";

interface MembersProps {
  readonly members: Members;
  readonly gallery: Gallery;
  readonly colorOf: (bin: number) => string | undefined;
}

/** The chosen bin: its numbers, and its samples from the nearest to the centroid on. */
export function BinMembers({ members, gallery, colorOf }: MembersProps) {
  const { bin, nearest, farthest, count } = members;
  const { scales, centroids } = gallery;
  const centroid = centroids[bin];
  if (!centroid) return null;
  const part = chosenPart(centroid, settings.value.part);
  const rest = count - nearest.length - farthest.length;
  const thumb = (member: ShownMember) => (
    <MemberThumb key={member.sample} member={member} part={part} scales={scales} />
  );
  return (
    <section class="card solutions-members" aria-label={`Members of bin ${bin}`}>
      <header class="solutions-head">
        <h2>
          <Term name="bin" /> <BinMark bin={bin} color={colorOf(bin)} />
        </h2>
        <BinFacts bin={bin} gallery={gallery} />
      </header>
      <div class="thumbs">
        {nearest.map(thumb)}
        {farthest.length > 0 && <Gap rest={rest} />}
        {farthest.map(thumb)}
      </div>
    </section>
  );
}

function BinFacts({ bin, gallery: { pictures } }: { readonly bin: number; readonly gallery: Gallery }) {
  const { samples, left, spread, silhouette, neighbour } = pictures.bins[bin];
  const held = presentOf(split.value);
  return (
    <p class="small facts">
      <span>{countWords(samples, "sample")}, nearest to the centroid first</span>
      {spread !== undefined && (
        <span>
          <Term name="spread" /> {spread.toFixed(3)}
        </span>
      )}
      {silhouette !== undefined && (
        <span>
          <Term name="silhouette" /> {silhouette.toFixed(2)}
        </span>
      )}
      <span>
        <Term name="variance_left" /> {percent(left)}
      </span>
      {neighbour !== undefined && (
        <span>
          <Term name="next_bin" /> {neighbour}
        </span>
      )}
      {held && bin < held.bins && <span class="faint">{clientWords(held, bin)}</span>}
    </p>
  );
}

/** Between the nearest samples and the farthest. */
function Gap({ rest }: { readonly rest: number }) {
  return (
    <span class="thumb-gap faint small">
      {rest > 0 && (
        <>
          {rest} more
          <br />
        </>
      )}
      farthest
    </span>
  );
}

interface MemberThumbProps {
  readonly member: ShownMember;
  readonly part: number;
  readonly scales: Gallery["scales"];
}

function MemberThumb({ member: { sample, distance, panels }, part, scales }: MemberThumbProps) {
  const panel = panels[part];
  if (!panel) return null;
  return (
    <Thumb
      label={`Sample ${sample}, ${distance.toFixed(3)} from the centroid`}
      isChosen={sample === chosenSample.value}
      onChoose={() => change({ sample, half: "train" })}
    >
      <PanelView
        panel={limited(panel, scales)}
        scale={scales.colors.get(panel.quantity)}
        height={thumbHeight(panel)}
        hasAxes={false}
      />
      <span class="thumb-head">
        <span>{sample}</span>
        <span class="faint">{distance.toFixed(2)}</span>
      </span>
    </Thumb>
  );
}
