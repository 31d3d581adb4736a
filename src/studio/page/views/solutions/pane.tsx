import { useEffect, useMemo } from "preact/hooks";
import { presentOf } from "../../loadable.js";
import { Progress, Status } from "../../parts/status.js";
import { theme } from "../../parts/theme-button.js";
import { bins, data, settings, split } from "../../state.js";
import { binColoring, clientColoring } from "./coloring.js";
import { BinGallery } from "./gallery.js";
import { themeColors } from "./map/theme-colors.js";
import { MapCard } from "./map-card.js";
import { BinMembers } from "./members.js";
import { SampleCard } from "./sample-card.js";
import "./solutions.css";
import { chosen, followSolutions, gallery, map, members } from "./state.js";

/** Solutions as points of a map, as bins, and one by one. */
export function SolutionsPane() {
  useEffect(followSolutions, []);
  if (data.value.kind === "loading") return <Progress words={data.value.words} done={data.value.done} />;
  if (data.value.kind !== "ready")
    return (
      <Status of={data.value} empty="There are no data yet. Choose a task or open a file in Data.">
        {() => null}
      </Status>
    );
  return (
    <Status of={bins.value} empty="The bins follow.">
      {() => (
        <Status of={gallery.value} empty="The bins follow.">
          {() => <Solutions />}
        </Status>
      )}
    </Status>
  );
}

function Solutions() {
  const shown = presentOf(gallery.value)!;
  const found = presentOf(map.value);
  const held = presentOf(split.value);
  const { color } = settings.value;
  const coloring = useMemo(() => {
    const { ground } = themeColors();
    const { centroids } = found?.map ?? { centroids: new Float64Array(2 * shown.bins.bins) };
    return color === "client" && held ? clientColoring(held, ground) : binColoring({ centroids }, ground);
  }, [color, held, found, shown, theme.value]);
  const colorOf = (bin: number) => (coloring.kind === "bin" ? coloring.styles[bin]?.color : undefined);
  const strip = presentOf(members.value);
  return (
    <div class="solutions">
      {shown.bins.notes.map((note) => (
        <p key={note} class="notice warning" role="note">
          {note}
        </p>
      ))}
      <div class="solutions-top">
        <MapCard map={map.value} coloring={coloring} />
        <SampleCard chosen={chosen.value} gallery={shown} colorOf={colorOf} />
      </div>
      <BinGallery gallery={shown} colorOf={colorOf} />
      {strip ? (
        <BinMembers members={strip} gallery={shown} colorOf={colorOf} />
      ) : (
        <div class="card solutions-members" aria-busy="true" />
      )}
    </div>
  );
}
