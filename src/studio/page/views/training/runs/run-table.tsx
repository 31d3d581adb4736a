import { presentOf } from "../../../loadable.js";
import { Mathematics } from "../../../parts/mathematics.js";
import { Term } from "../../../parts/term.js";
import { change } from "../../../state.js";
import { duration, percent, roughly, significant } from "../numbers.js";
import { chosenRun, lastPoints, openRuns, pace, plan, shownNames } from "../state.js";
import { RunLine } from "./run-line.js";
import type { RunStyle } from "./run-styles.js";

/** The latest values of every run. The chosen one is shown below in detail. */
export function RunTable({ styles }: { readonly styles: readonly RunStyle[] }) {
  const names = shownNames.value;
  const isOpen = openRuns.value !== undefined;
  return (
    <table class="run-table">
      <thead>
        <tr>
          <th scope="col">
            <Term name="runs">Run</Term>
          </th>
          <th scope="col">
            <Term name="d_sol" />
          </th>
          <th scope="col">
            <Term name="h_g" />
          </th>
          <th scope="col">
            <Term name="test_error" />
          </th>
          <th scope="col">
            <Term name="worst_client" />
          </th>
          <th scope="col">
            <Term name="d_theta" />
          </th>
          <th scope="col">
            <Term name="d_loc" />
          </th>
          <th scope="col">
            <Term name="train_loss" />
          </th>
          <th scope="col">
            <Term name="round_time" />
          </th>
        </tr>
      </thead>
      <tbody>
        {names.map((name, run) => (
          <tr
            key={`${run} ${name}`}
            class={run === chosenRun.value ? "is-chosen" : undefined}
            data-error={lastPoints.value[run]?.testError}
          >
            <th scope="row">
              <label>
                <input
                  type="radio"
                  name="run"
                  aria-label={`Show ${name} below`}
                  checked={run === chosenRun.value}
                  onChange={() => change({ detail: run })}
                />
                <RunLine {...styles[run]} />
                <span title={name}>
                  <Mathematics text={name} />
                </span>
              </label>
            </th>
            {isOpen ? <Measured run={run} /> : <Planned run={run} />}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Cell = ({ text, name }: { readonly text: string; readonly name: string }) => (
  <td data-measure={name}>
    <Mathematics text={text} />
  </td>
);

function Measured({ run }: { readonly run: number }) {
  const { dSol, gradientDissimilarity } = openRuns.value!.facts[run];
  const point = lastPoints.value[run];
  const isLost = lastPoints.value.length > 0 && !point;
  const worst =
    point && point.worstClient >= 0
      ? `${percent(point.clientWorst)} (${nameOf(run, point.worstClient)})`
      : "–";
  return (
    <>
      <Cell name="d_sol" text={significant(dSol)} />
      <Cell name="h_g" text={significant(gradientDissimilarity)} />
      {isLost ? (
        <td colSpan={5} class="lost">
          diverged: take a smaller learning rate
        </td>
      ) : (
        <>
          <Cell name="test_error" text={percent(point?.testError ?? NaN)} />
          <Cell name="worst" text={worst} />
          <Cell name="d_theta" text={run === 0 ? "reference" : significant(point?.dTheta ?? NaN)} />
          <Cell name="d_loc" text={significant(point?.dLoc || NaN)} />
          <Cell name="train_loss" text={significant(point?.trainLoss ?? NaN)} />
        </>
      )}
      <Cell name="time" text={duration(pace.value.milliseconds[run] || NaN)} />
    </>
  );
}

function nameOf(run: number, client: number): string {
  return openRuns.value!.facts[run].clientNames?.[client] ?? `client ${client}`;
}

/** What is known before the start. */
function Planned({ run }: { readonly run: number }) {
  const own = presentOf(plan.value)?.[run];
  if (typeof own === "string")
    return (
      <td colSpan={8} class="lost">
        {own}
      </td>
    );
  return (
    <>
      <td colSpan={7} class="planned">
        {own && `${own.model}: ${own.parameters.toLocaleString("en")} parameters, batches of ${own.batch}`}
      </td>
      <Cell name="time" text={own ? roughly(1000 * own.seconds) : "–"} />
    </>
  );
}
