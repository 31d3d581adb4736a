import { OptionError } from "../errors.js";
import { svg } from "./svg.js";

/** Colours at even steps from the low end of a scale to its high end; between them straight lines. */
export interface Colormap {
  readonly name: ColormapName;
  /** A diverging map has its middle at zero. */
  readonly kind: "sequential" | "diverging";
  readonly colors: readonly string[];
}

/** Red, green and blue of each colour, in hexadecimal. */
const SEQUENTIAL = {
  /** Of even steps in lightness, as are the next three (https://bids.github.io/colormap/). */
  viridis: "440154482173433e8538598c2d708e25858e1e9b8a2bb07f51c56a85d54ac2df23fde725",
  inferno: "0000040c0826240c4f420a685d126e781c6d932667ae305cc73e4cdd513aed6925f8850ffca50afac62df2e661fcffa4",
  magma: "0000040b092420114b3b0f7057157e721f818c2981a8327dc43c75de4968f1605dfa7f5efe9f6dfebf84fddea0fcfdbf",
  plasma: "0d08873305975002a26a00a88405a79c179eb12a90c33d80d35171e16462ed7953f68f44fca636fec029f9dc24f0f921",
  /** For readers who see few colours (Nunez, Anderton and Renslow 2018). */
  cividis: "002051022c6514386d2b446e42506e575c6e696970787573868276948f78a49d78b6ab73caba6ae0c95df2d950fdea45",
  /** A rainbow; equal differences of values look unequal. */
  turbo:
    "23171b44328c4b4fd0436df1368cf92ba8f025c2db28d9c133eaa548f68963fd7083fd5aa6f748c7eb3be3d931f9c229ffa723ff8a1ffc6b1ae94d14ce320db21c069a0e00900c00",
  /** From white to black, for print. */
  greys: "fffffff0f0f0d9d9d9bdbdbd969696737373525252252525000000",
} as const;

/** ColorBrewer's; the first from blue over white to red. */
const DIVERGING = {
  rdbu: "0530612166ac4393c392c5ded1e5f0f7f7f7fddbc7f4a582d6604db2182b67001f",
  brbg: "5430058c510abf812ddfc27df6e8c3f5f5f5c7eae580cdc135978f01665e003c30",
  prgn: "40004b762a839970abc2a5cfe7d4e8f7f7f7d9f0d3a6dba05aae611b783700441b",
  /** As seismograms are printed. */
  "black-white": "000000ffffff",
} as const;

export type ColormapName = keyof typeof SEQUENTIAL | keyof typeof DIVERGING;

const named = (kind: Colormap["kind"], table: Readonly<Record<string, string>>): Colormap[] =>
  Object.entries(table).map(([name, digits]) => ({
    name: name as ColormapName,
    kind,
    colors: digits.match(/.{6}/g)!.map((color) => `#${color}`),
  }));

/** Every map that can be asked for by name. */
export const COLORMAPS: readonly Colormap[] = [
  ...named("sequential", SEQUENTIAL),
  ...named("diverging", DIVERGING),
];

export const COLORMAP_NAMES: readonly ColormapName[] = COLORMAPS.map(({ name }) => name);

/** The map of this name. */
export const colormapOf = (name: ColormapName): Colormap => COLORMAPS.find((map) => map.name === name)!;

/** What has no value, and the inside of a body. */
export const MASKED = "#8a8a8a";

/** Which colours values get: `domain` is spread over the map, what lies beyond gets the colour of its end. */
export interface ColorScale {
  readonly colormap: Colormap;
  readonly domain: readonly [number, number];
}

/** Lowest and highest value of a scale. */
export type Limits = readonly [low: number, high: number];

export interface ColorOptions {
  /** Default: viridis for values of one sign, else rdbu. */
  readonly map?: ColormapName;
  /** Share of the values that a scale about zero spans; the largest of those beyond it are clipped. Default 1, all. */
  readonly share?: number;
  /** What the scale spans. Default: what the values span; a diverging map spans as much below zero as above. */
  readonly limits?: Limits;
}

/** The scale that suits values: sequential where all have one sign, else symmetric about zero. */
export function colorScale(values: readonly ArrayLike<number>[], options: ColorOptions = {}): ColorScale {
  const { map, limits, share = 1 } = options;
  const asked = map && colormapOf(map);
  if (limits) {
    const isSymmetric = limits[0] === -limits[1];
    if (asked?.kind === "diverging" && !isSymmetric)
      throw new OptionError(
        `the middle of ${map} is zero, which is not the middle of ${limits.join(":")}: choose limits such as ` +
          `${-Math.max(...limits.map(Math.abs))}:${Math.max(...limits.map(Math.abs))}, or a sequential colour map`,
      );
    return { colormap: asked ?? colormapOf(isSymmetric ? "rdbu" : "viridis"), domain: limits };
  }
  const finite = Float64Array.from(values.flatMap((part) => Array.from(part).filter(Number.isFinite)));
  finite.sort();
  const [low, high] = [finite[0] ?? 0, finite.at(-1) ?? 0];
  const isSigned = low * high < 0 || (low === 0 && high === 0);
  if (asked ? asked.kind === "diverging" : isSigned) {
    const sizes = finite.map(Math.abs).sort();
    const reach = sizes[Math.max(0, Math.ceil(share * sizes.length) - 1)] || sizes.at(-1) || 1;
    return { colormap: asked ?? colormapOf("rdbu"), domain: [-reach, reach] };
  }
  // A constant stands in the middle of its scale.
  const room = high > low ? 0 : Math.abs(low) / 2 || 1;
  return { colormap: asked ?? colormapOf("viridis"), domain: [low - room, high + room] };
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
