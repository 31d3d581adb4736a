import { useMemo } from "preact/hooks";
import type { MapView } from "../../../lab/lab.js";
import { FOLLOWS_SAMPLE } from "../../../settings.js";
import { type Loadable, presentOf } from "../../loadable.js";
import { Status } from "../../parts/status.js";
import { Term } from "../../parts/term.js";
import { change, settings, split } from "../../state.js";
import { clientName } from "./client-words.js";
import type { Coloring } from "./coloring.js";
import { SolutionMap } from "./map/solution-map.js";
import { MapLegend } from "./map-legend.js";
import { type Basis, chosenBin, chosenSample } from "./state.js";

interface MapCardProps {
  readonly map: Loadable<Basis & { readonly map: MapView }>;
  readonly coloring: Coloring;
}

/** The samples on a map, with what their colours mean. */
export function MapCard({ map, coloring }: MapCardProps) {
  const held = presentOf(split.value);
  const wordsOf = useMemo(
    () => (sample: number) => {
      const bin = presentOf(map)?.bins.binOfSample[sample];
      const client = held ? `, ${clientName(held, held.clientOfSample[sample])}` : "";
      return `Sample ${sample}, bin ${bin}${client}`;
    },
    [map, held],
  );
  return (
    <section class="card solutions-map" data-tour="map" aria-label="Map">
      <header class="solutions-head">
        <h2>
          <Term name="solution_map" />
        </h2>
        <p class="faint small">
          {settings.value.color === "bin"
            ? "Numbers stand at the centroids of bins."
            : "Colours and markers are clients, numbers are bins."}
        </p>
      </header>
      <Status of={map} empty="The map follows when there are bins.">
        {({ bins, map: found }) => (
          <SolutionMap
            map={found}
            binOfSample={bins.binOfSample}
            kind={coloring.kind}
            groupOf={coloring.kind === "bin" ? bins.binOfSample : coloring.groupOf}
            styles={coloring.styles}
            chosenBin={chosenBin.value}
            chosenSample={chosenSample.value}
            wordsOf={wordsOf}
            onSample={(sample) => change({ sample, half: "train", bin: FOLLOWS_SAMPLE })}
            onBin={(bin) => change({ bin })}
          />
        )}
      </Status>
      {coloring.kind === "client" && <MapLegend coloring={coloring} />}
    </section>
  );
}
