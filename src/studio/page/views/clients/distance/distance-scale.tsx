import { useRef } from "preact/hooks";
import type { SplitView } from "../../../../lab/lab.js";
import { presentOf } from "../../../loadable.js";
import { useSizeOf } from "../../../parts/size-of.js";
import { Term } from "../../../parts/term.js";
import { dial } from "../state.js";
import { shownNumber } from "./shown-number.js";

/** D_sol on a scale from 0 to the largest distance between two bins, with its floor, its range along the dial and its bounds. */
export function DistanceScale({ split }: { readonly split: SplitView }) {
  const { d_sol, d_sol_floor, d_sol_lower, d_sol_upper, c_max } = split.metrics;
  const place = useRef<HTMLDivElement>(null);
  const size = useSizeOf(place);
  const distances = presentOf(dial.value)?.distances;
  const range = distances && ([Math.min(...distances, d_sol), Math.max(...distances, d_sol)] as const);
  return (
    <div class="distance" data-tour="distance">
      <div class="distance-head">
        <Term name="d_sol" />
        <output class="distance-value" aria-label="D_sol">
          {d_sol.toFixed(3)}
        </output>
        <span class="faint small">{d_sol_floor > 0 && `${timesWords(d_sol / d_sol_floor)} its floor`}</span>
      </div>
      <div ref={place} class="distance-place">
        {size && (
          <Scale
            {...{ width: size.width, most: c_max || 1, range, floor: d_sol_floor, value: d_sol }}
            bounds={[d_sol_lower, d_sol_upper]}
          />
        )}
      </div>
      <dl class="numbers small-numbers">
        <Entry term="d_sol_floor" value={shownNumber(d_sol_floor)} />
        <Entry term="d_sol_range" value={range ? `${range.map(shownNumber).join(" – ")}` : "–"} />
        <Entry term="d_sol_bounds" value={`${shownNumber(d_sol_lower)} – ${shownNumber(d_sol_upper)}`} />
        <Entry term="c_max" value={shownNumber(c_max)} />
      </dl>
    </div>
  );
}

const timesWords = (times: number): string => `${times.toFixed(times < 10 ? 1 : 0)} ×`;

function Entry({ term, value }: { term: Parameters<typeof Term>[0]["name"]; value: string }) {
  return (
    <div>
      <dt>
        <Term name={term} />
      </dt>
      <dd>{value}</dd>
    </div>
  );
}

interface ScaleProps {
  readonly width: number;
  readonly most: number;
  readonly value: number;
  readonly floor: number;
  readonly range: readonly [number, number] | undefined;
  readonly bounds: readonly [number, number];
}

/** Room at both ends, so that the marker of the value is whole. */
const END = 8;

function Scale({ width, most, value, floor, range, bounds }: ScaleProps) {
  const x = (distance: number) => END + (Math.min(distance, most) / most) * (width - 2 * END);
  const [track, below] = [16, 30];
  return (
    <svg
      width={width}
      height={48}
      role="img"
      aria-label={`D_sol ${value.toFixed(3)} on a scale from 0 to ${most.toFixed(3)}, floor ${floor.toFixed(3)}`}
    >
      <line class="scale-track" x1={x(0)} x2={x(most)} y1={track} y2={track} />
      {range && <line class="scale-range" x1={x(range[0])} x2={x(range[1])} y1={track} y2={track} />}
      <path class="scale-bounds" d={`M${x(bounds[0])},${below - 4}v4H${x(bounds[1])}v-4`} />
      <line class="scale-floor" x1={x(floor)} x2={x(floor)} y1={track - 9} y2={track + 9} />
      <circle class="scale-value" cx={x(value)} cy={track} r={6} />
      <text x={x(0)} y={45} class="scale-text" text-anchor="middle">
        0
      </text>
      <text x={Math.max(x(0) + 26, x(floor))} y={45} class="scale-text" text-anchor="middle">
        floor
      </text>
      <text x={x(most) + END} y={45} class="scale-text" text-anchor="end">
        <tspan class="symbol">c</tspan>
        <tspan dy="3">max</tspan>
      </text>
    </svg>
  );
}
