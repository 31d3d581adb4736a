import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SeriesStyle } from "../../../../../figures/palette.js";
import { tickLabels } from "../../../../../figures/ticks.js";
import { percent } from "../../../../../partition/bin-quality.js";
import type { MapView } from "../../../../lab/lab.js";
import { Mathematics } from "../../../parts/mathematics.js";
import { pixels } from "../../../parts/pixels.js";
import { useSizeOf } from "../../../parts/size-of.js";
import { theme } from "../../../parts/theme-button.js";

import { type Group, pointedGroup } from "../state.js";
import { MARGINS, type MapFrame, mapFrame } from "./map-frame.js";
import { type Direction, nearestPoint, nearestTowards } from "./nearest-point.js";
import { binLabels, labelAt, paintOverlay } from "./paint-overlay.js";
import { paintPoints } from "./paint-points.js";
import { themeColors } from "./theme-colors.js";

interface SolutionMapProps {
  readonly map: MapView;
  readonly binOfSample: Int32Array;
  /** What colours the samples. */
  readonly kind: "bin" | "client";
  /** Bin or client of each sample, and the styles of these. */
  readonly groupOf: Int32Array;
  readonly styles: readonly SeriesStyle[];
  readonly chosenBin: number;
  readonly chosenSample: number | undefined;
  /** What is said of a sample under the pointer. */
  readonly wordsOf: (sample: number) => string;
  readonly onSample: (sample: number) => void;
  readonly onBin: (bin: number) => void;
}

/** Pixels from the pointer within which a sample is meant. */
const REACH = 18;

/** Pixels that the full name of an axis needs. */
const LONG_NAME = 230;

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowRight: "right",
  ArrowLeft: "left",
  ArrowUp: "up",
  ArrowDown: "down",
};

/** Samples by their two principal components, on a canvas: quick for ten thousand of them. */
export function SolutionMap(props: SolutionMapProps) {
  const { map, binOfSample, kind, groupOf, styles, chosenBin, chosenSample, wordsOf, onSample, onBin } =
    props;
  const { points, centroids, explained } = map;
  const place = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const brightOnes = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const { width, height } = useSizeOf(place) ?? { width: 0, height: 0 };
  const [pointed, setPointed] = useState<number>();
  const frame = useMemo(() => mapFrame(points, width, height), [points, width, height]);
  const labels = useMemo(() => binLabels(centroids, frame, chosenBin), [centroids, frame, chosenBin]);
  const bright = pointedGroup.value;
  const ratio = devicePixelRatio;
  const isDrawn = width > 0 && height > 0;
  const at = (sample: number | undefined) =>
    sample === undefined || sample >= points.length / 2
      ? undefined
      : ([frame.x(points[2 * sample]), frame.y(points[2 * sample + 1])] as const);

  const samples = { points, groupOf, styles, isEdged: (sample: number) => binOfSample[sample] === chosenBin };
  const painted = [frame, points, groupOf, styles, binOfSample, chosenBin, ratio, theme.value];
  useLayoutEffect(() => {
    if (isDrawn)
      paintPoints(sized(base.current!, frame, ratio), frame, { ...samples, colors: themeColors() }, ratio);
  }, painted);

  // What stands out lies on a canvas of its own, over all samples, which fade: these are not painted anew.
  useLayoutEffect(() => {
    if (!isDrawn || !bright) return;
    const isShown = brightSamples(bright, binOfSample, groupOf);
    const what = { ...samples, isShown, colors: themeColors() };
    paintPoints(sized(brightOnes.current!, frame, ratio), frame, what, ratio);
  }, [...painted, bright]);

  useLayoutEffect(() => {
    if (!isDrawn) return;
    paintOverlay(
      sized(over.current!, frame, ratio),
      {
        labels,
        colorOf: (bin) => (kind === "bin" ? styles[bin]?.color : undefined),
        chosenBin,
        brightBin: bright?.kind === "bin" ? bright.index : undefined,
        chosen: at(chosenSample),
        pointed: at(pointed),
        colors: themeColors(),
      },
      ratio,
    );
  });

  // Numbers are painted anew as soon as their font is there.
  const [, setFonts] = useState(document.fonts.status);
  useEffect(() => void document.fonts.ready.then(() => setFonts("loaded")), []);

  // A sample under the pointer is one of these points, not of those before.
  useEffect(() => setPointed(undefined), [points]);

  const under = ({ offsetX, offsetY }: MouseEvent) => {
    const label = labelAt(labels, offsetX, offsetY);
    const sample = label
      ? undefined
      : nearestPoint(points, frame.placeAt(offsetX, offsetY), REACH / frame.unit);
    return { label, sample };
  };
  const leave = () => {
    setPointed(undefined);
    pointedGroup.value = undefined;
  };
  return (
    <div
      ref={place}
      class="solution-map"
      role="application"
      aria-label="Map of solutions. Arrow keys go to the nearest sample in their direction."
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the choice
      tabIndex={0}
      onKeyDown={(event) => {
        const direction = DIRECTIONS[event.key];
        if (direction === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        const next =
          at(chosenSample) === undefined
            ? nearestPoint(points, frame.placeAt(width / 2, height / 2))
            : nearestTowards(points, chosenSample!, direction);
        if (next !== undefined) onSample(next);
      }}
    >
      <canvas ref={base} class={bright ? "faded" : ""} />
      <canvas ref={brightOnes} hidden={!bright} />
      <canvas
        ref={over}
        class={pointed === undefined && bright === undefined ? "" : "pointing"}
        onPointerMove={(event) => {
          const { label, sample } = under(event);
          setPointed(sample);
          pointTo(label && { kind: "bin", index: label.bin });
        }}
        onPointerLeave={leave}
        onClick={(event) => {
          const { label, sample } = under(event);
          if (label) onBin(label.bin);
          else if (sample !== undefined) onSample(sample);
        }}
      />
      {isDrawn && <MapAxes frame={frame} explained={explained} />}
      {pointed !== undefined && <Tip at={at(pointed)} width={width} words={wordsOf(pointed)} />}
    </div>
  );
}

/** Changes what stands out, unless it is so already: then nothing is painted anew. */
function pointTo(group: Group | undefined): void {
  const before = pointedGroup.value;
  if (before?.kind !== group?.kind || before?.index !== group?.index) pointedGroup.value = group;
}

const brightSamples = ({ kind, index }: Group, binOfSample: Int32Array, groupOf: Int32Array) =>
  kind === "bin"
    ? (sample: number) => binOfSample[sample] === index
    : (sample: number) => groupOf[sample] === index;

/** The canvas with a pixel for each of the screen's. */
function sized(
  canvas: HTMLCanvasElement,
  { width, height }: MapFrame,
  ratio: number,
): CanvasRenderingContext2D {
  const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== columns || canvas.height !== rows) {
    canvas.width = columns;
    canvas.height = rows;
    Object.assign(canvas.style, pixels({ width, height }));
  }
  return canvas.getContext("2d")!;
}

function Tip({
  at,
  width,
  words,
}: {
  readonly at: readonly [number, number] | undefined;
  readonly width: number;
  readonly words: string;
}) {
  if (!at) return null;
  const [x, y] = at;
  // Beside the point, at the side where there is room.
  const side = x > width / 2 ? { right: `${width - x + 14}px` } : { left: `${x + 14}px` };
  return (
    <div class="map-tip" style={{ ...side, top: `${y - 12}px` }} aria-hidden="true">
      {words}
    </div>
  );
}

function MapAxes({
  frame,
  explained,
}: {
  readonly frame: MapFrame;
  readonly explained: MapView["explained"];
}) {
  const { width, height, xTicks, yTicks } = frame;
  const [across, up] = [tickLabels(xTicks), tickLabels(yTicks)];
  const inner = {
    width: width - MARGINS.left - MARGINS.right,
    height: height - MARGINS.top - MARGINS.bottom,
  };
  const name = (axis: 0 | 1, factor: string, length: number) => {
    const share = `${factor}: ${percent(explained[axis])}`;
    return length < LONG_NAME
      ? `component ${axis + 1}${share}`
      : `component ${axis + 1} (s_u)${share} of the variance`;
  };
  return (
    <>
      <div
        class="map-frame"
        style={pixels({ left: MARGINS.left, top: MARGINS.top, ...inner })}
        aria-hidden="true"
      />
      {xTicks.map((tick) => (
        <span
          key={`x${tick}`}
          class="tick x"
          style={pixels({ left: frame.x(tick), top: height - MARGINS.bottom })}
        >
          {across.format(tick)}
        </span>
      ))}
      {yTicks.map((tick) => (
        <span key={`y${tick}`} class="tick y" style={pixels({ width: MARGINS.left - 5, top: frame.y(tick) })}>
          {up.format(tick)}
        </span>
      ))}
      <span
        class="axis-name x"
        style={pixels({ left: MARGINS.left, width: inner.width, top: height - MARGINS.bottom + 18 })}
      >
        <Mathematics text={name(0, across.factor, inner.width)} />
      </span>
      <span class="axis-name y" style={pixels({ top: MARGINS.top, height: inner.height })}>
        <Mathematics text={name(1, up.factor, inner.height)} />
      </span>
    </>
  );
}
