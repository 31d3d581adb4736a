import { inkOn } from "../../../../../figures/palette.js";
import { type LabelPlace, labelPlaces, type WantedLabel } from "./label-places.js";
import { MARGINS, type MapFrame } from "./map-frame.js";

/** The number of a bin, at its centroid or beside it. */
export interface BinLabel extends WantedLabel {
  readonly bin: number;
  /** Size of its text in pixels. */
  readonly font: number;
  /** Undefined where no place was free. */
  readonly place?: LabelPlace;
}

/** Sizes of labels in pixels: where there are many they are small and stay close to their places. */
const LARGE = { font: 11, height: 16, padding: 5, reach: 60 } as const;
const SMALL = { font: 9, height: 12, padding: 3, reach: 16 } as const;
const MANY = 20;

/** Labels of all bins; the chosen one is placed first, then large bins before small ones, as they are numbered. */
export function binLabels(centroids: ArrayLike<number>, frame: MapFrame, chosen: number): BinLabel[] {
  const bins = centroids.length / 2;
  const { font, height, padding, reach } = bins > MANY ? SMALL : LARGE;
  const order = Array.from({ length: bins }, (_, bin) => bin).sort(
    (a, b) => Number(b === chosen) - Number(a === chosen) || a - b,
  );
  const wanted = order.map((bin) => ({
    bin,
    x: frame.x(centroids[2 * bin]),
    y: frame.y(centroids[2 * bin + 1]),
    width: String(bin).length * font * 0.64 + 2 * padding,
    height,
    reach,
    font,
  }));
  const places = labelPlaces(wanted, {
    left: MARGINS.left,
    top: MARGINS.top,
    right: frame.width - MARGINS.right,
    bottom: frame.height - MARGINS.bottom,
  });
  return wanted.map((label, i) => ({ ...label, ...(places[i] && { place: places[i] }) }));
}

/** The label under a pixel. */
export const labelAt = (labels: readonly BinLabel[], x: number, y: number): BinLabel | undefined =>
  labels.find(
    ({ place, width, height }) =>
      place !== undefined && Math.abs(x - place.x) <= width / 2 && Math.abs(y - place.y) <= height / 2,
  );

export interface Overlay {
  readonly labels: readonly BinLabel[];
  /** Colour of the label of a bin; none where colours mean something else. */
  readonly colorOf: (bin: number) => string | undefined;
  readonly chosenBin: number;
  /** The bin that stands out while others fade. */
  readonly brightBin?: number | undefined;
  /** Pixels of the chosen sample and of the one under the pointer. */
  readonly chosen?: readonly [number, number] | undefined;
  readonly pointed?: readonly [number, number] | undefined;
  readonly colors: { readonly ground: string; readonly ink: string; readonly line: string };
}

/** Paints what lies over the samples: numbers of bins, and rings about the chosen sample and the one under the pointer. */
export function paintOverlay(
  context: CanvasRenderingContext2D,
  { labels, colorOf, chosenBin, brightBin, chosen, pointed, colors }: Overlay,
  ratio: number,
): void {
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const ring = ([x, y]: readonly [number, number], radius: number) => {
    for (const [color, width] of [
      [colors.ground, 5],
      [colors.ink, 2],
    ] as const) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.strokeStyle = color;
      context.lineWidth = width;
      context.stroke();
    }
  };
  // A bin that stands out stands alone.
  const shown = brightBin === undefined ? labels : labels.filter(({ bin }) => bin === brightBin);
  for (const label of shown) {
    if (!label.place) continue;
    const { x, y, place } = label;
    if (place.x === x && place.y === y) continue;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(place.x, place.y);
    context.strokeStyle = colors.ink;
    context.lineWidth = 1;
    context.stroke();
    context.beginPath();
    context.arc(x, y, 2, 0, 2 * Math.PI);
    context.fillStyle = colors.ink;
    context.fill();
  }
  // Those that matter most come last and lie on top. One that stands out is shown in any case.
  for (const label of [...shown].reverse())
    paintLabel(brightBin === undefined ? label : { ...label, place: label.place ?? label });
  if (pointed) ring(pointed, 7);
  if (chosen) ring(chosen, 8);

  function paintLabel({ bin, place, width, height, font }: BinLabel): void {
    if (!place) return;
    const fill = colorOf(bin) ?? colors.ground;
    const box = (grow: number) => {
      context.beginPath();
      context.roundRect(
        place.x - width / 2 - grow,
        place.y - height / 2 - grow,
        width + 2 * grow,
        height + 2 * grow,
        height / 2 + grow,
      );
    };
    const isChosen = bin === chosenBin;
    box(isChosen ? 3 : 1);
    context.fillStyle = isChosen ? colors.ink : colors.ground;
    context.fill();
    if (isChosen) {
      box(1);
      context.fillStyle = colors.ground;
      context.fill();
    }
    box(0);
    context.fillStyle = fill;
    context.fill();
    if (colorOf(bin) === undefined) {
      context.strokeStyle = colors.line;
      context.lineWidth = 1;
      context.stroke();
    }
    context.fillStyle = inkOn(fill);
    context.font = `600 ${font}px Inter, Helvetica, Arial, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(String(bin), place.x, place.y + 0.5);
  }
}
