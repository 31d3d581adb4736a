import { useMemo } from "preact/hooks";
import type { ColorScale } from "../../../../figures/colormaps.js";
import { tickLabels, ticksFitting } from "../../../../figures/ticks.js";
import { SIZE, textWidth } from "../../../../figures/typography.js";
import { Mathematics } from "../mathematics.js";
import "./field.css";

interface ColorBarProps {
  readonly scale: ColorScale;
  readonly label: string;
  readonly width?: number;
  /** Whether there are values beyond its ends, which have the colours of the ends: then the ends are pointed. */
  readonly isCut?: boolean;
}

/** Which colour stands for which value, with ticks below. */
export function ColorBar({ scale, label, width = 180, isCut = false }: ColorBarProps) {
  const [low, high] = scale.domain;
  const { ticks, format, factor } = useMemo(() => {
    const found = ticksFitting(low, high, width);
    const labels = tickLabels(found);
    const widest = Math.max(...found.map((tick) => textWidth(labels.format(tick), SIZE.tick)));
    const apart = (width * (found[1] - found[0])) / (high - low);
    // On a short bar three labels about zero would run into each other: the outer ones stay.
    return { ticks: apart < widest + 4 ? [found[0], found.at(-1)!] : found, ...labels };
  }, [low, high, width]);
  return (
    <div class="color-bar" style={{ width: `${width}px` }}>
      {isCut && <span class="visually-hidden">Values beyond the ends have the colours of the ends.</span>}
      <div class={isCut ? "ramp-edge" : undefined}>
        <div
          class={isCut ? "ramp cut" : "ramp"}
          style={{ background: `linear-gradient(to right, ${scale.colormap.colors.join(", ")})` }}
        />
      </div>
      {ticks.map((tick) => (
        <span
          key={tick}
          class="tick x"
          style={{ left: `${((tick - low) / (high - low)) * width}px`, top: "8px" }}
        >
          {format(tick)}
        </span>
      ))}
      <span class="axis-name x" style={{ left: "0", width: `${width}px`, top: "23px" }}>
        <Mathematics text={label + factor} />
      </span>
    </div>
  );
}
