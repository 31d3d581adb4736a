import type { SeriesStyle } from "../../../../../figures/palette.js";

type Corner = readonly [x: number, y: number];

/** The corners of an arm that starts in the middle and points up, for crosses of several arms. */
function arms(count: number, length: number, half: number): Corner[] {
  const inner = half / Math.tan(Math.PI / count);
  return Array.from({ length: count }, (_, i) => {
    const turn = (2 * Math.PI * i) / count;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    const corners: Corner[] = [
      [-half, -length],
      [half, -length],
      [half, -inner],
    ];
    return corners.map(([x, y]): Corner => [x * cos - y * sin, x * sin + y * cos]);
  }).flat();
}

const regular = (count: number, radii: readonly number[]): Corner[] =>
  Array.from({ length: count }, (_, i) => {
    const [turn, radius] = [(2 * Math.PI * i) / count, radii[i % radii.length]];
    return [radius * Math.sin(turn), -radius * Math.cos(turn)];
  });

/** Corners of markers that look as large as a circle of radius 1, which has none. */
const CORNERS: Readonly<Record<SeriesStyle["symbol"], readonly Corner[]>> = {
  circle: [],
  square: [
    [-0.9, -0.9],
    [0.9, -0.9],
    [0.9, 0.9],
    [-0.9, 0.9],
  ],
  triangle: regular(3, [1.5]),
  diamond: regular(4, [1.4]),
  star: regular(10, [1.6, 0.65]),
  wye: arms(3, 1.5, 0.45),
  cross: arms(4, 1.3, 0.45),
};

/** The outline of a marker about the origin, as the path of an SVG. */
export function markPath(symbol: SeriesStyle["symbol"], radius: number): string {
  const corners = CORNERS[symbol];
  if (corners.length === 0) {
    const [r, d] = [radius, 2 * radius];
    return `M${-r},0a${r},${r} 0 1,0 ${d},0a${r},${r} 0 1,0 ${-d},0Z`;
  }
  const points = corners.map(([x, y]) => `${(x * radius).toFixed(3)},${(y * radius).toFixed(3)}`);
  return `M${points.join("L")}Z`;
}

/** Radius of the marker of a sample: many are small. */
export const markRadius = (samples: number): number =>
  samples <= 300 ? 4 : samples <= 1200 ? 3.2 : samples <= 4000 ? 2.5 : 1.9;
