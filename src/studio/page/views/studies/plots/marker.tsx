import type { SeriesStyle } from "../../../../../figures/palette.js";

/** Shapes of Observable Plot's symbols, each in a square from -4 to 4. */
const SHAPES: Readonly<Record<SeriesStyle["symbol"], string>> = {
  circle: "M-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0Z",
  square: "M-3,-3H3V3H-3Z",
  triangle: "M0,-4L3.7,2.6H-3.7Z",
  diamond: "M0,-4.2L2.6,0L0,4.2L-2.6,0Z",
  star: "M0,-4.2L1,-1.3L4,-1.3L1.6,0.5L2.5,3.4L0,1.6L-2.5,3.4L-1.6,0.5L-4,-1.3L-1,-1.3Z",
  wye: "M1,0.6V4H-1V0.6L-3.9,-1.1L-2.9,-2.8L0,-1.1L2.9,-2.8L3.9,-1.1Z",
  cross: "M-1.2,-3.6H1.2V-1.2H3.6V1.2H1.2V3.6H-1.2V1.2H-3.6V-1.2H-1.2Z",
};

/** The marker of a level beside its name. */
export function Marker({ style }: { readonly style: SeriesStyle | undefined }) {
  return (
    <svg class="study-marker" width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
      <path d={SHAPES[style?.symbol ?? "circle"]} fill={style?.color ?? "var(--strong-line)"} />
    </svg>
  );
}
