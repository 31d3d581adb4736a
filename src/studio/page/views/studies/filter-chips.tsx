import { computed } from "@preact/signals";
import { filterText, toggled } from "../../../study/run-filter.js";
import { Mathematics } from "../../parts/mathematics.js";
import { Term } from "../../parts/term.js";
import { change } from "../../state.js";
import { type Facet, facetsOf } from "./results/facets.js";
import { filter, records } from "./state.js";

/** More settings than these are folded. */
const MOST_OTHERS = 3;

const facets = computed(() => facetsOf(records.value, filter.value));

/** What runs can be chosen by: a chip for each value of each setting that varies, with its number of runs. */
export function FilterChips() {
  const isFiltered = filter.value.size > 0;
  const others = facets.value.filter(({ isLeading }) => !isLeading);
  const isMany = others.length > MOST_OTHERS;
  const first = isMany ? facets.value.filter(({ isLeading }) => isLeading) : facets.value;
  const rest = isMany ? others : [];
  if (facets.value.length === 0 && !isFiltered) return null;
  return (
    <fieldset class="group">
      <legend class="study-filter-head">
        <Term name="study_filter" />
        {isFiltered && (
          <button type="button" class="study-link" onClick={() => change({ filter: "" })}>
            Show all
          </button>
        )}
      </legend>
      {first.map((facet) => (
        <FacetChips key={facet.name} facet={facet} />
      ))}
      {rest.length > 0 && (
        <details open={rest.some(({ name }) => filter.value.has(name))}>
          <summary class="small">
            {rest.length} more {rest.length === 1 ? "setting" : "settings"}
          </summary>
          {rest.map((facet) => (
            <FacetChips key={facet.name} facet={facet} />
          ))}
        </details>
      )}
    </fieldset>
  );
}

function FacetChips({ facet: { name, title, values } }: { readonly facet: Facet }) {
  const chosen = filter.value.get(name) ?? [];
  return (
    <fieldset class="study-facet">
      <legend class="faint small">
        <Mathematics text={title} />
      </legend>
      <div class="study-chips">
        {values.map(({ value, label, runs }) => (
          <button
            key={value}
            type="button"
            class="study-chip"
            aria-pressed={chosen.includes(value)}
            disabled={runs === 0 && !chosen.includes(value)}
            onClick={() => change({ filter: filterText(toggled(filter.value, name, value)) })}
          >
            <Mathematics text={label} /> <span class="study-count">{runs}</span>
          </button>
        ))}
      </div>
    </fieldset>
  );
}
