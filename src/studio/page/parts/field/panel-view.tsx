import { useLayoutEffect, useRef } from "preact/hooks";
import { type ColorScale, colorIndices, colorPalette } from "../../../../figures/colormaps.js";
import { extent } from "../../../../figures/samples/extent.js";
import type { FieldImage } from "../../../../figures/samples/field-image.js";
import {
  type CurvePanel,
  type ImagePanel,
  isImage,
  type SamplePanel,
} from "../../../../figures/samples/sample-panel.js";
import { coveringTicks, tickLabels, ticksFitting } from "../../../../figures/ticks.js";
import { textWidth } from "../../../../figures/typography.js";
import { Mathematics } from "../mathematics.js";
import { Readout } from "./readout.js";
import "./field.css";

interface PanelViewProps {
  readonly panel: SamplePanel;
  /** Colours of a picture: panels of one quantity share theirs. */
  readonly scale?: ColorScale;
  /** Ticks of the values of a curve: panels of one quantity share theirs. */
  readonly ticks?: readonly number[];
  /** Height of the frame in pixels; its width follows from the panel's proportions. */
  readonly height: number;
  /** Whether it stands alone, with ticks and labels. Default true; small multiples have none. */
  readonly hasAxes?: boolean;
  /** Whether its vertical axis has ticks and a label. Default true; a neighbour at the left may have the same ones. */
  readonly hasVertical?: boolean;
  /** The same of its horizontal axis, which a neighbour below may have. */
  readonly hasHorizontal?: boolean;
  /** Other curves in the same frame, such as a prediction. */
  readonly others?: readonly { readonly curve: CurvePanel["curve"]; readonly class: string }[];
}

/** Room for ticks and labels at the left and below. */
const [LEFT, BELOW, ABOVE, RIGHT] = [44, 34, 4, 10];
/** Room at the left and below where an axis is that of a neighbour. */
const EDGE = 8;
/** Room for the name of a vertical axis, and between that and its longest label. */
const NAME = 20;

/** Room that a panel takes around its frame. */
export const AROUND_FRAME = { below: BELOW, above: ABOVE, right: RIGHT, edge: EDGE } as const;

/** Room at the left of a frame: as its labels need it. */
export function roomAtLeft(panel: SamplePanel, ticks?: readonly number[], hasVertical = true): number {
  if (!hasVertical) return EDGE;
  const shown = isImage(panel) ? ticksBetween(verticalOf(panel, ticks), USUAL_HEIGHT) : ticks;
  if (!shown || shown.length < 2) return LEFT;
  const { format } = tickLabels(shown);
  const widest = Math.max(...shown.map((tick) => textWidth(format(tick), LABEL_SIZE)));
  return Math.max(LEFT, Math.ceil(NAME + widest));
}

/** Pixels of ticks' labels, and of a frame whose ticks are those of most sizes. */
const [LABEL_SIZE, USUAL_HEIGHT] = [11, 320];

/** A sample, or a part of one, in a frame: a picture on a canvas or curves, with ticks outside. */
export function PanelView(props: PanelViewProps) {
  const { panel, scale, ticks, height, others = [] } = props;
  const { hasAxes = true, hasVertical = true, hasHorizontal = true } = props;
  const width = Math.round(height * panel.aspect);
  const [below, above, right] = hasAxes ? [hasHorizontal ? BELOW : EDGE, ABOVE, RIGHT] : [0, 0, 0];
  const left = hasAxes ? roomAtLeft(panel, ticks, hasVertical) : 0;
  const body = isImage(panel) ? (
    <ImageFrame panel={panel} scale={scale!} size={{ width, height }} />
  ) : (
    <CurveFrame panel={panel} ticks={ticks} others={others} size={{ width, height }} />
  );
  return (
    <div class="panel" style={{ width: `${left + width + right}px`, height: `${above + height + below}px` }}>
      <div
        class="panel-frame"
        style={{ left: `${left}px`, top: `${above}px`, width: `${width}px`, height: `${height}px` }}
      >
        {body}
        {hasAxes && <Readout panel={panel} domain={domainOf(panel, ticks)} />}
      </div>
      {hasAxes && (
        <PanelAxes
          panel={panel}
          ticks={ticks}
          size={{ width, height }}
          left={left}
          has={{ horizontal: hasHorizontal, vertical: hasVertical }}
        />
      )}
    </div>
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A picture with a pixel for each of its values; the browser enlarges it. */
function ImageFrame({ panel, scale, size }: { panel: ImagePanel; scale: ColorScale; size: Size }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { image } = panel;
  useLayoutEffect(() => paint(canvas.current!, image, scale), [image, scale]);
  return (
    <canvas
      ref={canvas}
      class={image.smooth ? "smooth" : "cells"}
      width={image.columns}
      height={image.rows}
      style={{ width: `${size.width}px`, height: `${size.height}px` }}
      role="img"
      aria-label={ariaOf(panel)}
    />
  );
}

/** Paints values on a canvas of as many pixels. */
function paint(canvas: HTMLCanvasElement, { values, columns, rows }: FieldImage, scale: ColorScale): void {
  const context = canvas.getContext("2d")!;
  const picture = context.createImageData(columns, rows);
  const palette = colorPalette(scale.colormap);
  const indices = colorIndices(values, scale);
  for (let i = 0, at = 0; i < indices.length; i++, at += 4) {
    const from = 3 * indices[i];
    picture.data[at] = palette[from];
    picture.data[at + 1] = palette[from + 1];
    picture.data[at + 2] = palette[from + 2];
    picture.data[at + 3] = 255;
  }
  context.putImageData(picture, 0, 0);
}

/** A curve, or markers where no line connects the values. */
function CurveFrame({
  panel,
  ticks,
  others,
  size: { width, height },
}: {
  panel: CurvePanel;
  ticks?: readonly number[];
  others: NonNullable<PanelViewProps["others"]>;
  size: Size;
}) {
  const { x, y, domain } = curvePlaces(panel, ticks, { width, height });
  const path = (curve: CurvePanel["curve"]) => pathOf(curve, x, y);
  const zero = domain[0] < 0 && domain[1] > 0 ? y(0) : undefined;
  return (
    <svg width={width} height={height} role="img" aria-label={ariaOf(panel)}>
      {zero !== undefined && <line class="zero" x1={0} x2={width} y1={zero} y2={zero} />}
      {panel.numbers ? (
        Array.from(
          panel.curve.x,
          (place, i) =>
            Number.isFinite(panel.curve.y[i]) && (
              <g key={i}>
                <line
                  class="stem"
                  x1={x(place)}
                  x2={x(place)}
                  y1={y(Math.max(domain[0], 0))}
                  y2={y(panel.curve.y[i])}
                />
                <circle class="marker" cx={x(place)} cy={y(panel.curve.y[i])} r={2.5} />
              </g>
            ),
        )
      ) : (
        <path class="curve" d={path(panel.curve)} />
      )}
      {others.map(({ curve, class: name }) => (
        <path key={name} class={name} d={path(curve)} />
      ))}
    </svg>
  );
}

/** A line through the points of a curve, with gaps where a value is not a number. */
function pathOf(
  curve: CurvePanel["curve"],
  x: (place: number) => number,
  y: (value: number) => number,
): string {
  let isOpen = false;
  return Array.from(curve.x, (place, i) => {
    const wasOpen = isOpen;
    isOpen = Number.isFinite(curve.y[i]);
    if (!isOpen) return "";
    return `${wasOpen ? "L" : "M"}${x(place).toFixed(2)},${y(curve.y[i]).toFixed(2)}`;
  }).join("");
}

/** What the vertical axis of a curve spans. */
function domainOf(panel: SamplePanel, ticks: readonly number[] | undefined): readonly [number, number] {
  if (isImage(panel)) return [0, 1];
  if (ticks) return [ticks[0], ticks.at(-1)!];
  return panel.limits ?? curveDomain([panel.curve.y]);
}

/** Where the points of a curve lie in its frame. */
function curvePlaces(panel: CurvePanel, ticks: readonly number[] | undefined, { width, height }: Size) {
  const { curve, numbers } = panel;
  const [first, last] = extent(curve.x);
  const [left, right] = numbers || first === last ? [first - 0.5, last + 0.5] : [first, last];
  const domain = domainOf(panel, ticks);
  const x = (place: number) => ((place - left) / (right - left)) * width;
  const y = (value: number) => height - ((value - domain[0]) / (domain[1] - domain[0] || 1)) * height;
  return { x, y, left, right, domain };
}

/** Ticks that cover curves of one quantity, and zero. */
export function curveTicks(curves: readonly ArrayLike<number>[]): number[] {
  const [low, high] = curveDomain(curves);
  return coveringTicks(low, high);
}

function curveDomain(curves: readonly ArrayLike<number>[]): [number, number] {
  const ranges = curves.map(extent);
  const [low, high] = [Math.min(0, ...ranges.map(([a]) => a)), Math.max(0, ...ranges.map(([, b]) => b))];
  return low === high ? [low - 1, high + 1] : [low, high];
}

interface AxesProps {
  readonly panel: SamplePanel;
  readonly ticks?: readonly number[];
  readonly size: Size;
  readonly left: number;
  /** Which axes have ticks and labels. */
  readonly has: { readonly horizontal: boolean; readonly vertical: boolean };
}

/** An axis of a panel: its label, and what it spans. */
interface Span {
  readonly label: string;
  readonly start: number;
  readonly end: number;
}

function horizontalOf(panel: SamplePanel, ticks: readonly number[] | undefined, size: Size): Span {
  if (isImage(panel)) return panel.image.x;
  const { left, right } = curvePlaces(panel, ticks, size);
  return { label: panel.xLabel, start: left, end: right };
}

function verticalOf(panel: SamplePanel, ticks: readonly number[] | undefined): Span {
  if (isImage(panel)) {
    const { label, start, end } = panel.image.y; // it begins at the top
    return { label, start: end, end: start };
  }
  const [start, end] = domainOf(panel, ticks);
  return { label: panel.quantity, start, end };
}

function PanelAxes({ panel, ticks, size, left, has }: AxesProps) {
  const { width, height } = size;
  const horizontal = horizontalOf(panel, ticks, size);
  const vertical = verticalOf(panel, ticks);
  const across = ticksBetween(horizontal, width);
  const up = isImage(panel) || !ticks ? ticksBetween(vertical, height * 1.6) : thinned(ticks, height);
  const [xLabels, yLabels] = [tickLabels(across), tickLabels(up)];
  const place = ({ start, end }: Span, tick: number) => (tick - start) / (end - start);
  return (
    <>
      {has.horizontal &&
        across.map((tick) => (
          <span
            key={`x${tick}`}
            class="tick x"
            style={{ left: `${left + place(horizontal, tick) * width}px`, top: `${ABOVE + height}px` }}
          >
            {xLabels.format(tick)}
          </span>
        ))}
      {has.horizontal && (
        <span
          class="axis-name x"
          style={{ left: `${left}px`, width: `${width}px`, top: `${ABOVE + height + 16}px` }}
        >
          <Mathematics text={horizontal.label + xLabels.factor} />
        </span>
      )}
      {has.vertical &&
        up.map((tick) => (
          <span
            key={`y${tick}`}
            class="tick y"
            style={{ width: `${left - 5}px`, top: `${ABOVE + height - place(vertical, tick) * height}px` }}
          >
            {yLabels.format(tick)}
          </span>
        ))}
      {has.vertical && (
        <span class="axis-name y" style={{ top: `${ABOVE}px`, height: `${height}px` }}>
          <Mathematics text={vertical.label + yLabels.factor} />
        </span>
      )}
    </>
  );
}

/** Ticks with room for their labels, zero among them where it was. */
function thinned(ticks: readonly number[], height: number): readonly number[] {
  const apart = height / Math.max(1, ticks.length - 1);
  const every = Math.max(1, Math.ceil((LABEL_SIZE * 1.4) / apart));
  const zero = Math.max(
    0,
    ticks.findIndex((tick) => Math.abs(tick) < 1e-12 * Math.abs(ticks.at(-1)! - ticks[0])),
  );
  const kept = ticks.filter((_, i) => (i - zero) % every === 0);
  return kept.length > 1 ? kept : [ticks[0], ticks.at(-1)!];
}

const ticksBetween = ({ start, end }: Span, length: number): number[] =>
  ticksFitting(Math.min(start, end), Math.max(start, end), length);

const ariaOf = ({ title = "", place = "", quantity }: SamplePanel): string =>
  [title, quantity, place].filter(Boolean).join(", ").replaceAll("$", "");
