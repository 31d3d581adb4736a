import { svg } from "./svg.js";

/** Colours at even steps from the low end of a scale to its high end; between them straight lines. */
export interface Colormap {
  readonly name: "sequential" | "diverging" | "grey";
  readonly colors: readonly string[];
}

/** For values of one sign: viridis at twelve places, of even steps in lightness (https://bids.github.io/colormap/). */
const SEQUENTIAL: Colormap = {
  name: "sequential",
  colors: [
    "#440154",
    "#482173",
    "#433e85",
    "#38598c",
    "#2d708e",
    "#25858e",
    "#1e9b8a",
    "#2bb07f",
    "#51c56a",
    "#85d54a",
    "#c2df23",
    "#fde725",
  ],
};

/** For values of both signs: blue below zero, white at zero, red above (ColorBrewer's RdBu, turned round). */
const DIVERGING: Colormap = {
  name: "diverging",
  colors: [
    "#053061",
    "#2166ac",
    "#4393c3",
    "#92c5de",
    "#d1e5f0",
    "#f7f7f7",
    "#fddbc7",
    "#f4a582",
    "#d6604d",
    "#b2182b",
    "#67001f",
  ],
};

/** For shot gathers, as seismograms are printed. */
const GREY: Colormap = { name: "grey", colors: ["#000000", "#ffffff"] };

export const COLORMAPS: readonly Colormap[] = [SEQUENTIAL, DIVERGING, GREY];

/** What has no value, and the inside of a body. */
export const MASKED = "#8a8a8a";

/** Which colours values get: `domain` is spread over the map, what lies beyond gets the colour of its end. */
export interface ColorScale {
  readonly colormap: Colormap;
  readonly domain: readonly [number, number];
}

export interface ColorOptions {
  /** Shades of grey about zero instead of colours. */
  readonly grey?: boolean;
  /** Share of the values that the scale spans; the largest of those beyond it are clipped. Default 1, all. */
  readonly share?: number;
}

/** The scale that suits values: sequential where all have one sign, else symmetric about zero. */
export function colorScale(values: readonly ArrayLike<number>[], options: ColorOptions = {}): ColorScale {
  const { grey = false, share = 1 } = options;
  const finite = Float64Array.from(values.flatMap((part) => Array.from(part).filter(Number.isFinite)));
  finite.sort();
  const [low, high] = [finite[0] ?? 0, finite.at(-1) ?? 0];
  if (grey || low * high < 0 || (low === 0 && high === 0)) {
    const sizes = finite.map(Math.abs).sort();
    const reach = sizes[Math.max(0, Math.ceil(share * sizes.length) - 1)] || sizes.at(-1) || 1;
    return { colormap: grey ? GREY : DIVERGING, domain: [-reach, reach] };
  }
  // A constant stands in the middle of its scale.
  const room = high > low ? 0 : Math.abs(low) / 2;
  return { colormap: SEQUENTIAL, domain: [low - room, high + room] };
}

/** Places in {@link colorPalette} of values: the last is for what is masked, which NaN stands for. */
export function colorIndices(values: ArrayLike<number>, { domain: [low, high] }: ColorScale): Uint8Array {
  const indices = new Uint8Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const place = Math.min(1, Math.max(0, (values[i] - low) / (high - low)));
    indices[i] = Number.isNaN(place) ? STEPS : Math.round(place * (STEPS - 1));
  }
  return indices;
}

const STEPS = 255;

/** Red, green and blue of the map's 255 steps, and of what is masked. */
export function colorPalette({ colors }: Colormap): Uint8Array {
  const palette = new Uint8Array(3 * (STEPS + 1));
  const levels = colors.map(channels);
  for (let i = 0; i < STEPS; i++) {
    const at = (i / (STEPS - 1)) * (colors.length - 1);
    const from = Math.min(colors.length - 2, Math.floor(at));
    for (let c = 0; c < 3; c++)
      palette[3 * i + c] = Math.round(
        levels[from][c] + (at - from) * (levels[from + 1][c] - levels[from][c]),
      );
  }
  palette.set(channels(MASKED), 3 * STEPS);
  return palette;
}

/** The maps as gradients from left to right; colour bars refer to them by {@link gradientId}. */
export function colorGradients(maps: readonly Colormap[]): SVGElement {
  const gradients = maps.map((map) =>
    svg(
      "linearGradient",
      { id: gradientId(map) },
      ...map.colors.map((color, i) =>
        svg("stop", { offset: (i / (map.colors.length - 1)).toFixed(4), "stop-color": color }),
      ),
    ),
  );
  return svg("defs", {}, ...gradients);
}

export function gradientId({ name }: Colormap): string {
  return `${name}-colors`;
}

function channels(color: string): number[] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
