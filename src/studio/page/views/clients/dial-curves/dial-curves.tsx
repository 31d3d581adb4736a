import { useMemo } from "preact/hooks";
import { takesAlpha } from "../../../../../partition/partitioners.js";
import type { SplitView } from "../../../../lab/lab.js";
import { presentOf } from "../../../loadable.js";
import { Term } from "../../../parts/term.js";
import { settings } from "../../../state.js";
import { binSizes, dial } from "../state.js";
import { distanceCurve, lawCurves } from "./curves-of.js";
import { Curve, DialPanel } from "./dial-panel.js";

/** H_u and D_sol along the dial, with the present split on them. */
export function DialCurves({ split }: { readonly split: SplitView }) {
  const { alpha, partitioner } = settings.value;
  const turned = presentOf(dial.value);
  const present = takesAlpha(partitioner) ? alpha : undefined;
  return (
    <>
      <LawPanel split={split} alpha={present} />
      <header class="panel-head">
        <Term name="d_sol" />
        <Key
          kind={present === undefined ? "level" : "draw"}
          words={present === undefined ? "this split" : "this seed"}
        />
        <Key kind="floor" words="floor" />
        <span class="panel-axis faint">α</span>
      </header>
      <DistancePanel split={split} alpha={present} points={distanceCurve(turned)} />
    </>
  );
}

function LawPanel({ split, alpha }: { readonly split: SplitView; readonly alpha: number | undefined }) {
  const turned = presentOf(dial.value);
  const sizes = binSizes.value;
  const curves = useMemo(() => lawCurves(split, sizes, turned), [split, turned]);
  const { law, band, draw, present, most, isDrawn } = curves;
  return (
    <>
      <header class="panel-head">
        <Term name={isDrawn ? "h_u_expected" : "h_u_realised_expected"} />
        <Key kind="law" words="exact law" />
        {isDrawn && <Key kind="band" words="± 1 sd of a draw" />}
        {draw.length > 0 && <Key kind="draw" words="this seed" />}
      </header>
      <DialPanel label="H_u along the dial: exact law and present draw" most={most} alpha={alpha}>
        {(places) => (
          <>
            {band.length > 0 && (
              <path
                class="curve-band"
                d={`M${[
                  ...band.map(
                    ({ alpha: at, high }) => `${places.x(at).toFixed(1)},${places.y(high).toFixed(1)}`,
                  ),
                  ...[...band]
                    .reverse()
                    .map(({ alpha: at, low }) => `${places.x(at).toFixed(1)},${places.y(low).toFixed(1)}`),
                ].join("L")}Z`}
              />
            )}
            <Curve points={draw} places={places} class="curve-draw" />
            <Curve points={law} places={places} class="curve-law" />
            {present && <Present {...{ places, ...present }} words="H_u" />}
          </>
        )}
      </DialPanel>
    </>
  );
}

function DistancePanel({
  split: { metrics, alpha: own },
  alpha,
  points,
}: {
  readonly split: SplitView;
  readonly alpha: number | undefined;
  readonly points: readonly { readonly alpha: number; readonly value: number }[];
}) {
  const { d_sol, d_sol_floor } = metrics;
  const most = Math.max(
    d_sol_floor,
    ...(points.length > 0 ? points.map(({ value }) => value) : [d_sol]),
    1e-9,
  );
  return (
    <DialPanel label="D_sol along the dial, with its floor" most={most} alpha={alpha}>
      {(places) => (
        <>
          <line
            class="curve-floor"
            {...{
              x1: places.x(1e3),
              x2: places.x(1e-3),
              y1: places.y(d_sol_floor),
              y2: places.y(d_sol_floor),
            }}
          />
          <Curve points={points} places={places} class="curve-draw" />
          {own === undefined ? (
            <line
              class="curve-level"
              {...{ x1: places.x(1e3), x2: places.x(1e-3), y1: places.y(d_sol), y2: places.y(d_sol) }}
            />
          ) : (
            <Present places={places} alpha={own} value={d_sol} words="D_sol" />
          )}
        </>
      )}
    </DialPanel>
  );
}

/** The present split on a curve. */
function Present({
  places,
  alpha,
  value,
  words,
}: {
  readonly places: { x(alpha: number): number; y(value: number): number };
  readonly alpha: number;
  readonly value: number;
  readonly words: string;
}) {
  return (
    <circle class="present" cx={places.x(alpha)} cy={places.y(value)} r={5}>
      <title>{`${words} = ${value.toFixed(4)} at α = ${alpha}`}</title>
    </circle>
  );
}

/** What a line of the panels stands for. */
function Key({
  kind,
  words,
}: {
  readonly kind: "law" | "band" | "draw" | "floor" | "level";
  readonly words: string;
}) {
  return (
    <span class="key small faint">
      <svg width={20} height={8} aria-hidden="true">
        {kind === "band" ? (
          <rect class="curve-band" width={20} height={8} />
        ) : (
          <line class={`curve-${kind}`} x1={0} x2={20} y1={4} y2={4} />
        )}
      </svg>
      {words}
    </span>
  );
}
