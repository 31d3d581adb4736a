import { useMemo, useRef } from "preact/hooks";
import { idTicks } from "../../../../../figures/ticks.js";
import { textWidth } from "../../../../../figures/typography.js";
import type { SplitView } from "../../../../lab/lab.js";
import { type Plan, planBetween } from "../../../../lab/plan.js";
import { type Size, useSizeOf } from "../../../parts/size-of.js";
import { Term } from "../../../parts/term.js";
import { theme } from "../../../parts/theme-button.js";
import { change, settings } from "../../../state.js";
import { nameOf } from "../heat-map/cell-words.js";
import { columnsOf } from "../heat-map/columns.js";
import { pair } from "../state.js";
import { ClientMeans } from "./client-means.js";
import { COST_COLORS } from "./cost-colors.js";
import { PairMatrix } from "./pair-matrix.js";
import { mostShare, ribbonsOf } from "./plan-layout.js";

/** How one client's histogram is carried to another's: bars of both, and between them what flows from bin to bin. */
export function PlanView({ split }: { readonly split: SplitView }) {
  const place = useRef<HTMLDivElement>(null);
  const size = useSizeOf(place);
  const [first, second] = pair.value;
  const beside = columnsOf(size?.width ?? 0, split.bins).beside.left;
  const isMeans = settings.value.compare === "means";
  const plan = useMemo(
    () => planBetween(split.counts[first], split.counts[second], split.cost),
    [split, first, second],
  );
  return (
    <>
      <header class="plan-head">
        <ClientSelect split={split} at={0} />
        <span class="faint">to</span>
        <ClientSelect split={split} at={1} />
        <button
          type="button"
          class="plain compare"
          aria-pressed={isMeans}
          onClick={() => change({ compare: isMeans ? "flows" : "means" })}
        >
          Means
        </button>
        {plan && <PairDistance split={split} distance={plan.distance} />}
      </header>
      <div ref={place} class="plan-place">
        {size && size.width >= 200 && size.height > 80 && (
          <>
            {isMeans ? (
              <ClientMeans split={split} width={beside - 18} height={size.height} />
            ) : plan ? (
              <Flows split={split} plan={plan} size={size} />
            ) : (
              <p class="notice">One of the two clients has no samples.</p>
            )}
            <PairMatrix split={split} left={beside} size={size} />
          </>
        )}
      </div>
    </>
  );
}

/** One of the two clients, with the sign that it has in the heat map. */
function ClientSelect({ split, at }: { readonly split: SplitView; readonly at: 0 | 1 }) {
  const chosen = pair.value;
  const choose = (client: number) => {
    const other = chosen[1 - at];
    // Choosing the other client turns the pair round.
    const next = client === other ? [other, chosen[at]] : [client, other];
    change({ pair: (at === 0 ? next : [next[1], next[0]]).join(",") });
  };
  return (
    <label class={`client-select ${at === 0 ? "is-first" : "is-second"}`}>
      <span aria-hidden="true">{"▲▼"[at]}</span>
      <select
        aria-label={at === 0 ? "client to carry from" : "client to carry to"}
        value={chosen[at]}
        onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
      >
        {split.counts.map((_, client) => (
          <option key={client} value={client}>
            {nameOf(split, client)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Distance of the pair, and its part of the sum whose mean is D_sol. */
function PairDistance({ split, distance }: { readonly split: SplitView; readonly distance: number }) {
  const { clients, distances } = split;
  const pairs = (clients * (clients - 1)) / 2;
  let sum = 0;
  for (let i = 0; i < clients; i++)
    for (let j = i + 1; j < clients; j++) sum += distances[i * clients + j] || 0;
  return (
    <span class="pair-distance">
      <Term name="w1" /> = <output aria-label="W_1 of the pair">{distance.toFixed(3)}</output>
      {sum > 0 && pairs > 1 && (
        <span class="faint small">{` ${shareWords(distance / sum)} of all ${pairs} pairs`}</span>
      )}
    </span>
  );
}

const shareWords = (share: number): string => `${(100 * share).toPrecision(2)} %`;

/** Height of the numbers of bins under the plan. */
const BELOW = 14;

function Flows({
  split,
  plan,
  size,
}: {
  readonly split: SplitView;
  readonly plan: Plan;
  readonly size: Size;
}) {
  const columns = columnsOf(size.width, split.bins);
  const [first, second] = pair.value;
  const bars = Math.round(Math.min(44, size.height / 5));
  const heights = { bars: bars + 4, flows: size.height - BELOW - 2 * bars - 8 };
  const shares = [first, second].map((client) => {
    const total = split.counts[client].reduce((a, b) => a + b, 0);
    return split.counts[client].map((count) => count / total);
  });
  const most = mostShare(shares);
  const dearest = Math.max(...split.cost.values) || 1;
  const colors = COST_COLORS[theme.value];
  const ribbons = ribbonsOf(plan.flows, columns, heights);
  const [top, bottom] = [bars, size.height - BELOW - bars];
  const right = columns.left + columns.width;
  const moved = plan.flows.reduce((sum, { from, to, mass }) => (from === to ? sum : sum + mass), 0);
  const percent = (share: number) => `${Math.round(100 * share)} %`;
  return (
    <svg
      width={right}
      height={size.height}
      role="img"
      aria-label={`Transport plan from client ${first} to client ${second}: ${percent(moved)} of the mass moves at a cost of ${plan.distance.toFixed(3)}`}
    >
      {[0, 1].map((at) => {
        const [base, sign] = at === 0 ? [top, -1] : [bottom, 1];
        return (
          <g key={at} class={at === 0 ? "bars is-first" : "bars is-second"}>
            <line class="bar-base" x1={columns.left} x2={right} y1={base} y2={base} />
            {shares[at].map((share, bin) => {
              const height = (share / most) * bars;
              if (share === 0) return null;
              return (
                <rect
                  key={bin}
                  x={columns.left + bin * columns.each + (columns.each > 6 ? 1 : 0)}
                  width={Math.max(1, columns.each - (columns.each > 6 ? 2 : 0))}
                  y={sign < 0 ? base - height : base}
                  height={height}
                >
                  <title>{`client ${at === 0 ? first : second}, bin ${bin}: ${percent(share)}`}</title>
                </rect>
              );
            })}
            <text
              class="tick-text"
              x={columns.left - 6}
              y={base + sign * (bars - 6)}
              dy="0.32em"
              text-anchor="end"
            >
              {percent(most)}
            </text>
            <text class="sign" x={columns.left - 6} y={base + sign * 6} dy="0.32em" text-anchor="end">
              {"▲▼"[at]}
            </text>
          </g>
        );
      })}
      {ribbons.map(({ flow: { from, to, mass, cost: paid }, path, cost }) => (
        <path
          key={`${from}-${to}`}
          d={path}
          class={from === to ? "ribbon stays" : "ribbon"}
          style={from === to ? undefined : { fill: colors.color(cost / dearest) }}
        >
          <title>
            {from === to
              ? `bin ${from}: ${percent(mass)} stays`
              : `bin ${from} to bin ${to}: mass ${mass.toFixed(3)} at cost ${cost.toFixed(3)}, together ${paid.toFixed(3)}`}
          </title>
        </path>
      ))}
      {ribbons.map(
        ({ flow: { from, to }, cost, label }) =>
          label && (
            <text
              key={`${from}-${to}`}
              class="ribbon-cost"
              x={label[0]}
              y={label[1]}
              dy="0.32em"
              text-anchor="middle"
            >
              {cost.toFixed(2)}
            </text>
          ),
      )}
      {idTicks(split.bins, columns.width, textWidth(String(split.bins - 1), 11) + 5).map((bin) => (
        <text
          key={bin}
          class="tick-text"
          x={columns.left + (bin + 0.5) * columns.each}
          y={size.height - 2}
          text-anchor="middle"
        >
          {bin}
        </text>
      ))}
    </svg>
  );
}
