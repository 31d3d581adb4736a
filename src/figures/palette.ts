/** A colour as red, green and blue from 0 to 255. */
type Rgb = readonly [number, number, number];

/** A colour at a place from 0 to 1 of a scale. */
export interface Stop {
  readonly offset: number;
  readonly color: string;
}

/** Marker shapes, so that colour is never the only difference. */
const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "wye", "cross"] as const;

export interface SeriesStyle {
  readonly color: string;
  readonly symbol: (typeof SYMBOLS)[number];
}

/**
 * Colours and markers of series: Okabe and Ito's, which stay apart for colour-blind readers
 * (https://jfly.uni-koeln.de/color/), with Tol's indigo in place of a yellow that white paper swallows.
 */
export const SERIES_STYLES: readonly SeriesStyle[] = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#e69f00",
  "#56b4e9",
  "#332288",
].map((color, i) => ({ color, symbol: SYMBOLS[i] }));

/** Styles of series: one's own for the first that has it, and for others those that nobody here has. */
export function seriesStyles(own: readonly (SeriesStyle | undefined)[]): SeriesStyle[] {
  const free = SERIES_STYLES.filter((style) => !own.includes(style));
  const rest = free.length > 0 ? free : SERIES_STYLES;
  let next = 0;
  return own.map((style, i) =>
    style !== undefined && own.indexOf(style) === i ? style : rest[next++ % rest.length],
  );
}

/** Five concentrations, from cool (near-IID) to warm (one bin a client), ever lighter. */
export const ALPHA_COLORS: Readonly<Record<number, string>> = {
  100: "#1f1a6b",
  10: "#6a1f8f",
  1: "#b1307f",
  0.1: "#dd5a50",
  0.01: "#f0952b",
};

/**
 * Levels of something that is varied, in order: Tol's high-contrast colours, which no series has and which print keeps
 * apart in grey, then his others (https://personal.sron.nl/~pault/).
 */
export const LEVEL_STYLES: readonly SeriesStyle[] = [
  { color: "#004488", symbol: "circle" },
  { color: "#bb5566", symbol: "square" },
  { color: "#ddaa33", symbol: "triangle" },
  { color: "#228833", symbol: "diamond" },
  { color: "#66ccee", symbol: "star" },
  { color: "#aa3377", symbol: "wye" },
  { color: "#777777", symbol: "cross" },
  { color: "#994455", symbol: "circle" },
  { color: "#ee7733", symbol: "square" },
  { color: "#332288", symbol: "triangle" },
  { color: "#999933", symbol: "diamond" },
  { color: "#44aa99", symbol: "star" },
];

/** Colour of any concentration: between these on the logarithmic scale, clamped beyond them. */
export function alphaColor(alpha: number): string {
  const stops = [100, 10, 1, 0.1, 0.01].map((value, i) => ({ offset: i / 4, color: ALPHA_COLORS[value] }));
  return interpolate(stops, (2 - Math.log10(alpha)) / 4);
}

/** White to deep blue, in steps of nearly equal lightness. */
const BLUES = [
  "#ffffff",
  "#e3f1ee",
  "#bfe0e0",
  "#91c9d6",
  "#5fabca",
  "#3c89bb",
  "#2c66a4",
  "#254585",
  "#1b2760",
];

/**
 * Colours of proportions from 0 to 1. Steps of lightness follow the square root, since near-IID clients have
 * 1/B everywhere: with twenty bins a scale of even steps would leave them white.
 */
export const PROPORTION_STOPS: readonly Stop[] = BLUES.map((color, i) => ({
  offset: (i / (BLUES.length - 1)) ** 2,
  color,
}));

/** Colour of a proportion in [0, 1]. */
export function proportionColor(proportion: number): string {
  return interpolate(PROPORTION_STOPS, proportion);
}

/** Contrast from which on white ink is taken: on strong colours it reads better than a darker ink of the same ratio. */
const ENOUGH = 3;

/** Black or white ink, whichever reads better on this ground. */
export function inkOn(ground: string): string {
  const [dark, light] = ["#1a1a1a", "#ffffff"];
  return contrast(ground, light) >= ENOUGH ? light : dark;
}

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function luminance(color: string): number {
  const [r, g, b] = parse(color).map((level) => {
    const s = level / 255;
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Straight lines between stops, as an SVG gradient draws them: a cell and the colour bar agree. */
function interpolate(stops: readonly Stop[], at: number): string {
  const place = Math.min(1, Math.max(0, at));
  const i = Math.max(
    1,
    stops.findIndex((stop) => stop.offset >= place),
  );
  const [from, to] = [stops[i - 1], stops[i]];
  const weight = (place - from.offset) / (to.offset - from.offset);
  const end = parse(to.color);
  const levels = parse(from.color).map((level, channel) =>
    Math.round(level + weight * (end[channel] - level)),
  );
  return `#${levels.map((level) => level.toString(16).padStart(2, "0")).join("")}`;
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
