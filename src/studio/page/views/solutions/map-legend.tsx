import type { Coloring } from "./coloring.js";
import { markPath } from "./map/marks.js";
import { pointedGroup } from "./state.js";

/** Colours and markers of clients. Hover makes a client stand out on the map. */
export function MapLegend({ coloring: { styles, names } }: { readonly coloring: Coloring }) {
  const leave = () => {
    pointedGroup.value = undefined;
  };
  return (
    <ul class="map-legend" aria-label="Colours of clients">
      <li>clients</li>
      {styles.map(({ color, symbol }, client) => {
        const point = () => {
          pointedGroup.value = { kind: "client", index: client };
        };
        return (
          <li key={client} onMouseEnter={point} onMouseLeave={leave}>
            <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
              <path d={markPath(symbol, 3.6)} fill={color} />
            </svg>
            {names[client].replace(/^client (?=\d+$)/, "")}
          </li>
        );
      })}
    </ul>
  );
}
