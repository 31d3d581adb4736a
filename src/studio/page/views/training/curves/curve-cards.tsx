import { raised } from "../../../../../figures/ticks.js";
import { Term } from "../../../parts/term.js";
import { change, settings } from "../../../state.js";
import type { RunStyle } from "../runs/run-styles.js";
import { curvesAt, openRuns, shownNames } from "../state.js";
import type { CurveName } from "./curves.js";
import { LiveChart } from "./live-chart.js";

/** Test error, drift and training loss of all runs against the round. */
export function CurveCards({ styles }: { readonly styles: readonly RunStyle[] }) {
  const { drift } = settings.value;
  return (
    <div class="curve-cards">
      <section class="card" aria-label="Test error">
        <header class="card-head">
          <h2>
            <Term name="test_error" />
          </h2>
          <ScaleSwitch />
        </header>
        <Curve name="testError" what="Test error" styles={styles} format={shortPercent} />
      </section>
      <section class="card" aria-label="Drift">
        <header class="card-head">
          <h2>
            Drift <Term name={drift} />
          </h2>
          <select
            aria-label="Drift that is drawn"
            value={drift}
            onChange={({ currentTarget }) => change({ drift: currentTarget.value as typeof drift })}
          >
            <option value="d_theta">from the first run</option>
            <option value="d_loc">among clients</option>
          </select>
        </header>
        <Curve
          name={drift === "d_theta" ? "dTheta" : "dLoc"}
          what={drift === "d_theta" ? "Drift from the first run" : "Dispersion of clients"}
          styles={styles}
          format={plain}
        />
      </section>
      <section class="card" aria-label="Training loss">
        <header class="card-head">
          <h2>
            <Term name="train_loss" />
          </h2>
        </header>
        <Curve name="trainLoss" what="Training loss" styles={styles} format={plain} />
      </section>
    </div>
  );
}

interface CurveProps {
  readonly name: CurveName;
  readonly what: string;
  readonly styles: readonly RunStyle[];
  readonly format: (value: number) => string;
}

function Curve({ name, what, styles, format }: CurveProps) {
  const names = shownNames.value;
  const opened = openRuns.value;
  const at = curvesAt.value;
  const { rounds, values } = opened?.curves ?? NOTHING;
  const lists = opened ? values[name] : names.map(() => []);
  return (
    <LiveChart
      label={ariaOf(what, names, lists, format)}
      rounds={rounds}
      planned={settings.value.rounds}
      values={lists}
      at={at}
      names={names}
      styles={styles}
      isLogarithmic={settings.value.curves === "log"}
      format={format}
    />
  );
}

const NOTHING = { rounds: [], values: { testError: [], dTheta: [], dLoc: [], trainLoss: [] } };

/** The latest values in words. */
function ariaOf(
  what: string,
  names: readonly string[],
  lists: readonly (readonly (number | null)[])[],
  format: (value: number) => string,
): string {
  const told = names.flatMap((name, i) => {
    const value = lists[i]?.at(-1);
    return value === null || value === undefined ? [] : [`${name}: ${format(value)}`];
  });
  return told.length > 0 ? `${what} by round. ${told.join("; ")}` : `${what} by round, no rounds yet`;
}

const shortPercent = (error: number): string => `${plain(100 * error)} %`;

/** A round number as an axis has it: `0.02`, `2·10⁻⁵`. */
function plain(value: number): string {
  const exponent = Math.floor(Math.log10(value) + 1e-9);
  if (value === 0 || exponent >= -3) return String(Number(value.toPrecision(2)));
  return `${Number((value / 10 ** exponent).toPrecision(2))}·10${raised(exponent)}`;
}

/** Whether equal factors or equal differences have equal lengths. */
function ScaleSwitch() {
  const { curves } = settings.value;
  const other = curves === "log" ? "linear" : "log";
  return (
    <button type="button" class="plain small" onClick={() => change({ curves: other })}>
      {curves === "log" ? "Linear scale" : "Logarithmic scale"}
    </button>
  );
}
