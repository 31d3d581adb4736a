import { separationWords } from "../../../../partition/bin-pictures.js";
import { noiseExplained, percent } from "../../../../partition/bin-quality.js";
import { presentOf } from "../../loadable.js";
import { Mathematics } from "../../parts/mathematics.js";
import { Term } from "../../parts/term.js";
import { bins } from "../../state.js";
import { gallery } from "./state.js";

/** How well the bins describe the responses, in numbers and in words. */
export function BinsSummary() {
  const found = presentOf(gallery.value);
  if (!found || bins.value.kind === "failed") return null;
  const { quality, quantisationError, silhouette } = found.pictures;
  return (
    <section aria-label="Quality of the bins">
      <dl class="bins-quality">
        <dt>
          <Term name="explained" />
        </dt>
        <dd data-number="explained">{percent(Math.max(0, quality.explainedVariance))}</dd>
        <dt>
          <Term name="noise" />
        </dt>
        <dd>{percent(noiseExplained(quality))}</dd>
        <dt>
          <Term name="eps_quant" />
        </dt>
        <dd data-number="eps_quant">
          {quantisationError.toFixed(3)} <Mathematics text="s_u" />
        </dd>
        {silhouette !== undefined && (
          <>
            <dt>
              <Term name="silhouette" />
            </dt>
            <dd data-number="silhouette">{silhouette.toFixed(2)}</dd>
          </>
        )}
      </dl>
      <p class="faint small">{separationWords(found.pictures).replace(/^[^:]*: ./, capital)}</p>
    </section>
  );
}

/** The number stands above; the sentence begins with what it means. */
const capital = (start: string): string => start.slice(-1).toUpperCase();
