import type { ComponentChildren } from "preact";
import type { SplitView } from "../../../../lab/lab.js";
import type { TermName } from "../../../glossary.js";
import { presentOf } from "../../../loadable.js";
import { Term } from "../../../parts/term.js";
import { inputs } from "../state.js";
import { shownNumber } from "./shown-number.js";

/** What else is measured of the split. */
export function Numbers({ split }: { readonly split: SplitView }) {
  const { metrics } = split;
  const isDrawn = metrics.h_u !== null;
  return (
    <dl class="numbers measures">
      <Measure term={isDrawn ? "h_u" : "h_u_realised"} value={metrics.h_u ?? metrics.h_u_realised} />
      {isDrawn || metrics.alpha_implied === null ? (
        <Measure term="h_u_expected" value={metrics.h_u_expected} />
      ) : (
        <Measure term="alpha_implied" value={metrics.alpha_implied} />
      )}
      <Measure term="h_q" value={metrics.h_q} />
      <Measure term="cv_n" value={metrics.cv_n} />
      <Measure term="eps_part" value={metrics.eps_part} />
      <InputDistance split={split} />
      <Entry term="sizes">
        {metrics.n_min} – {metrics.n_max}
      </Entry>
      <Entry term="moved">{metrics.repairs ?? "–"}</Entry>
    </dl>
  );
}

function Measure({ term, value }: { readonly term: TermName; readonly value: number | null }) {
  return <Entry term={term}>{shownNumber(value)}</Entry>;
}

/** It takes longer than all else, and follows when the dial rests. Until then the last one is faint. */
function InputDistance({ split }: { readonly split: SplitView }) {
  const last = presentOf(inputs.value);
  const isOfOther = last?.of !== split;
  return (
    <Entry term="input_w1">
      <span class={isOfOther ? "faint" : undefined} aria-busy={isOfOther}>
        {last?.found ? shownNumber(last.found.mean) : "…"}
      </span>
    </Entry>
  );
}

function Entry({ term, children }: { readonly term: TermName; readonly children: ComponentChildren }) {
  return (
    <div data-measure={term}>
      <dt>
        <Term name={term} />
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
