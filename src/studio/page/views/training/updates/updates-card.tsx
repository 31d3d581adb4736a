import { useRef } from "preact/hooks";
import { tickLabels, ticksFitting } from "../../../../../figures/ticks.js";
import type { RunArrows } from "../../../../training/trainer.js";
import { Mathematics } from "../../../parts/mathematics.js";
import { type Size, useSizeOf } from "../../../parts/size-of.js";
import { Term } from "../../../parts/term.js";
import type { RunStyle } from "../runs/run-styles.js";
import { arrows, chosenRun, shownNames } from "../state.js";
import { type ArrowPlane, arrowLabels, planeOf } from "./arrow-places.js";

/** What the clients of the chosen run changed in the last round, as arrows in a plane. */
export function UpdatesCard({ styles }: { readonly styles: readonly RunStyle[] }) {
  const place = useRef<HTMLDivElement>(null);
  const size = useSizeOf(place);
  const run = chosenRun.value;
  const all = arrows.value;
  const own = all?.runs[run];
  return (
    <section class="card updates-card" aria-label="Clients' updates">
      <header class="card-head">
        <h2>
          <Term name="updates" /> of <Mathematics text={shownNames.value[run] ?? ""} />
        </h2>
        {own && (
          <span class="faint small">
            round {all!.round}, <Term name="plane_share">{`${Math.round(100 * own.shown)} % shown`}</Term>
          </span>
        )}
      </header>
      <div ref={place} class="updates-body">
        {own && size ? (
          <ArrowPicture own={own} plane={planeOf(all!.runs)} color={styles[run].color} size={size} />
        ) : (
          <p class="faint">
            {all && !own
              ? "All samples are trained on at one place: no client moves on its own."
              : "An arrow for each client: how it changed the model in a round."}
          </p>
        )}
      </div>
      <p class="small faint">
        Upwards: along the mean of all clients (bold). Sideways: where they differ most.
      </p>
    </section>
  );
}

/** Room for the ticks of the first axis, and for labels around. */
const [BELOW, AROUND] = [16, 14];

function ArrowPicture({
  own,
  plane,
  color,
  size,
}: {
  readonly own: RunArrows;
  readonly plane: ArrowPlane;
  readonly color: string;
  readonly size: Size;
}) {
  const { width, height } = size;
  const scale = Math.min(
    (width - 2 * AROUND) / (2 * plane.reach),
    (height - BELOW - 2 * AROUND) / (plane.top - plane.bottom),
  );
  const origin = { x: width / 2, y: height - BELOW - AROUND + scale * plane.bottom };
  const at = (along: number, across: number) => ({
    x: origin.x + scale * across,
    y: origin.y - scale * along,
  });
  const ends = own.clients.map((_, i) => at(own.arrows[2 * i], own.arrows[2 * i + 1]));
  const mean = at(own.mean, 0);
  const sides = width / 2 / scale;
  const ticks = ticksFitting(-sides, sides, width);
  const { format, factor } = tickLabels(ticks);
  const bottom = height - BELOW;
  return (
    <svg
      class="arrows"
      width={width}
      height={height}
      role="img"
      aria-label={`Updates of ${own.clients.length} clients; their mean is ${own.mean.toPrecision(2)} long`}
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={at(0, tick).x} x2={at(0, tick).x} y1={AROUND / 2} y2={bottom} />
          <text class="tick" x={at(0, tick).x} y={bottom + 12}>
            {format(tick)}
          </text>
        </g>
      ))}
      {factor && (
        <text class="tick factor" x={width} y={bottom - 4}>
          {factor.replace(/10\^\{(.*)\}/, "10^$1").trim()}
        </text>
      )}
      <line class="axis" x1={0} x2={width} y1={origin.y} y2={origin.y} />
      {ends.map((end, i) => (
        <Arrow key={own.clients[i]} from={origin} to={end} color={color} />
      ))}
      <Arrow from={origin} to={mean} class="mean" head={9} />
      {arrowLabels(ends, origin).map(({ index, x, y }) => (
        <text key={own.clients[index]} class="client" x={x} y={y}>
          {own.clients[index]}
        </text>
      ))}
    </svg>
  );
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface ArrowProps {
  readonly from: Point;
  readonly to: Point;
  readonly class?: string;
  readonly color?: string;
  /** Length of its head in pixels. */
  readonly head?: number;
}

function Arrow({ from, to, class: name, color, head = 6 }: ArrowProps) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const [x, y] = length > 0 ? [(to.x - from.x) / length, (to.y - from.y) / length] : [1, 0];
  const size = Math.min(head, length / 2);
  const neck = { x: to.x - size * x, y: to.y - size * y };
  const side = (turn: number) => `${neck.x + turn * 0.45 * size * y},${neck.y - turn * 0.45 * size * x}`;
  return (
    <g class={`arrow ${name ?? ""}`} stroke={color} fill={color}>
      <line x1={from.x} y1={from.y} x2={neck.x} y2={neck.y} />
      <polygon points={`${to.x},${to.y} ${side(1)} ${side(-1)}`} />
    </g>
  );
}
