import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { decimals, ticksWithin } from "../../../../../figures/ticks.js";
import { useSizeOf } from "../../../parts/size-of.js";
import { change } from "../../../state.js";
import { alphaAt, DIAL_MARKS, placeOnDial } from "../controls/dial-places.js";

/** Where alphas and values lie in a panel, in pixels. */
export interface PanelPlaces {
  x(alpha: number): number;
  y(value: number): number;
}

interface DialPanelProps {
  /** What screen readers call it. */
  readonly label: string;
  /** The largest value that is drawn. */
  readonly most: number;
  /** The alpha of the dial; undefined for a partitioner without one. */
  readonly alpha: number | undefined;
  readonly children: (places: PanelPlaces) => ComponentChildren;
}

const [LEFT, RIGHT, ABOVE, BELOW] = [38, 18, 8, 20];

/** A panel over the dial: alpha from left to right as on the slider. A click in it, or dragging, sets alpha. */
export function DialPanel({ label, most, alpha, children }: DialPanelProps) {
  const place = useRef<HTMLDivElement>(null);
  const size = useSizeOf(place);
  return (
    <div ref={place} class="dial-panel">
      {size && size.height > 60 && <Frame {...{ label, most, alpha, children, size }} />}
    </div>
  );
}

function Frame({
  label,
  most,
  alpha,
  children,
  size: { width, height },
}: DialPanelProps & { readonly size: { readonly width: number; readonly height: number } }) {
  const inner = { width: width - LEFT - RIGHT, height: height - ABOVE - BELOW };
  const x = (at: number) => LEFT + placeOnDial(at) * inner.width;
  const y = (value: number) => ABOVE + (1 - Math.min(value, 1.05 * most) / (1.05 * most)) * inner.height;
  const ticks = ticksWithin(0, 1.05 * most, Math.max(2, Math.floor(inner.height / 40)));
  const format = decimals(ticks);
  const set = (event: PointerEvent & { readonly currentTarget: SVGSVGElement }) => {
    if (alpha === undefined || event.buttons !== 1) return;
    const from = event.currentTarget.getBoundingClientRect().left + LEFT;
    change({ alpha: alphaAt((event.clientX - from) / inner.width) });
  };
  return (
    <svg
      width={width}
      height={height}
      role="img"
      aria-label={label}
      class={alpha === undefined ? undefined : "is-settable"}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        set(event);
      }}
      onPointerMove={set}
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
          <text class="tick-text" x={LEFT - 6} y={y(tick)} dy="0.32em" text-anchor="end">
            {format(tick)}
          </text>
        </g>
      ))}
      {DIAL_MARKS.map((mark) => (
        <g key={mark}>
          <line
            class="grid"
            x1={x(mark)}
            x2={x(mark)}
            y1={ABOVE + inner.height}
            y2={ABOVE + inner.height + 4}
          />
          <text class="tick-text" x={x(mark)} y={height - 3} text-anchor="middle">
            {mark}
          </text>
        </g>
      ))}
      {alpha !== undefined && (
        <line class="now" x1={x(alpha)} x2={x(alpha)} y1={ABOVE} y2={ABOVE + inner.height} />
      )}
      {children({ x, y })}
    </svg>
  );
}

/** A curve through points of the dial. */
export function Curve({
  points,
  places: { x, y },
  class: name,
}: {
  readonly points: readonly { readonly alpha: number; readonly value: number }[];
  readonly places: PanelPlaces;
  readonly class: string;
}) {
  if (points.length === 0) return null;
  const path = points
    .map(({ alpha, value }, i) => `${i === 0 ? "M" : "L"}${x(alpha).toFixed(1)},${y(value).toFixed(1)}`)
    .join("");
  return <path class={name} d={path} />;
}
