import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { SplitView } from "../../../../lab/lab.js";
import type { Size } from "../../../parts/size-of.js";
import { Term } from "../../../parts/term.js";
import { theme } from "../../../parts/theme-button.js";
import { change } from "../../../state.js";
import { type PageColors, pageColors } from "../heat-map/paint-heat-map.js";
import { PROPORTION_COLORS } from "../heat-map/proportion-colors.js";
import { pair } from "../state.js";
import { COST_COLORS } from "./cost-colors.js";

interface PairMatrixProps {
  readonly split: SplitView;
  readonly left: number;
  /** Room that it has: it starts at `left`. */
  readonly size: Size;
}

/** Lines of text above and below it. */
const TEXT = 24;

/** Distances between every two clients, the largest of them as deep as the palette goes. A click chooses the two. */
export function PairMatrix({ split, left, size }: PairMatrixProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { clients, distances } = split;
  const side = Math.max(40, Math.min(size.width - left, size.height - 2 * TEXT));
  const most = useMemo(() => distances.reduce((a, b) => (b > a ? b : a), 0), [distances]);
  const mode = theme.value;
  const page = useMemo(pageColors, [mode]);
  const chosen = pair.value;
  useLayoutEffect(() => {
    const element = canvas.current!;
    element.width = Math.round(side * devicePixelRatio);
    element.height = element.width;
    paint(element.getContext("2d")!, { side, split, most, page, isDark: mode === "dark", pair: chosen });
  }, [split, side, mode, chosen[0], chosen[1]]);
  const clientAt = (place: number) =>
    Math.min(clients - 1, Math.max(0, Math.floor((place / side) * clients)));
  return (
    <div class="pair-matrix" style={{ left: `${left}px` }}>
      <div class="small faint">
        <Term name="w1">W_1 of all pairs</Term>, to {most.toFixed(2)}
      </div>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Distances between ${clients} clients, up to ${most.toFixed(3)}`}
        style={{ width: `${side}px`, height: `${side}px` }}
        onClick={({ offsetX, offsetY }) => {
          const [a, b] = [clientAt(offsetY), clientAt(offsetX)];
          if (a !== b) change({ pair: `${a},${b}` });
        }}
      />
      <div class="cost-key small faint" style={{ width: `${side}px` }}>
        <Term name="cost" /> 0
        <i style={{ background: COST_COLORS[mode].gradient }} />
        {split.metrics.c_max.toFixed(2)}
      </div>
    </div>
  );
}

function paint(
  context: CanvasRenderingContext2D,
  {
    side,
    split: { clients, distances },
    most,
    page,
    isDark,
    pair: chosen,
  }: {
    side: number;
    split: SplitView;
    most: number;
    page: PageColors;
    isDark: boolean;
    pair: readonly [number, number];
  },
): void {
  const ratio = devicePixelRatio;
  const proportions = PROPORTION_COLORS[isDark ? "dark" : "light"];
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const each = side / clients;
  for (let i = 0; i < clients; i++)
    for (let j = 0; j < clients; j++) {
      const distance = distances[i * clients + j];
      context.fillStyle = Number.isNaN(distance)
        ? page.line
        : proportions.color(most > 0 ? distance / most : 0);
      const [x, y] = [Math.round(j * each), Math.round(i * each)];
      context.fillRect(x, y, Math.round((j + 1) * each) - x, Math.round((i + 1) * each) - y);
    }
  for (const [[i, j], color] of [
    [chosen, page.accent],
    [[chosen[1], chosen[0]], page.second],
  ] as const) {
    // A rim of the ground's colour sets the frame off from a cell of its own colour.
    for (const [width, stroke] of [
      [4, page.ground],
      [2, color],
    ] as const) {
      context.lineWidth = width;
      context.strokeStyle = stroke;
      context.strokeRect(j * each, i * each, Math.max(3, each), Math.max(3, each));
    }
  }
}
