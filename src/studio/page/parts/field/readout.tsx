import { useState } from "preact/hooks";
import { isImage, type SamplePanel } from "../../../../figures/samples/sample-panel.js";
import { Mathematics } from "../mathematics.js";

/** What a panel shows at a place of its frame, in words, and where exactly that is, as parts of the frame. */
export interface Reading {
  readonly text: string;
  readonly across: number;
  readonly down: number;
}

/** What a panel shows at a place; `across` and `down` go from 0 to 1. */
export function readingAt(
  panel: SamplePanel,
  across: number,
  down: number,
  domain: readonly [number, number],
): Reading | undefined {
  if (isImage(panel)) {
    const { values, columns, rows, x, y } = panel.image;
    const column = Math.min(columns - 1, Math.floor(across * columns));
    const row = Math.min(rows - 1, Math.floor(down * rows));
    const [at, from] = [(column + 0.5) / columns, (row + 0.5) / rows];
    const place = [
      valueOn(x.label, x.start + at * (x.end - x.start)),
      valueOn(y.label, y.start + from * (y.end - y.start)),
    ];
    return {
      text: `${place.join(", ")}: ${shortNumber(values[row * columns + column])}`,
      across: at,
      down: from,
    };
  }
  const { x, y } = panel.curve;
  if (x.length === 0) return undefined;
  const [first, last] = panel.numbers ? [-0.5, x.length - 0.5] : [x[0], x[x.length - 1]];
  const wanted = first + across * (last - first);
  let nearest = 0;
  for (let i = 1; i < x.length; i++) if (Math.abs(x[i] - wanted) < Math.abs(x[nearest] - wanted)) nearest = i;
  return {
    text: `${valueOn(panel.xLabel, x[nearest])}: ${shortNumber(y[nearest])}`,
    across: last === first ? 0.5 : (x[nearest] - first) / (last - first),
    down: Math.min(1, Math.max(0, (domain[1] - y[nearest]) / (domain[1] - domain[0] || 1))),
  };
}

/** A number with four digits that count. */
export const shortNumber = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(4))).replace("-", "−") : String(value);

/** `$x$ (m)` at 0.5: `$x$ = 0.5 m`. */
function valueOn(label: string, value: number): string {
  const [, name, unit] = /^(.*?)(?: \(([^)]*)\))?$/.exec(label) ?? [];
  return `${name} = ${shortNumber(value)}${unit === undefined ? "" : ` ${unit}`}`;
}

interface ReadoutProps {
  readonly panel: SamplePanel;
  /** What the vertical axis of a curve spans. */
  readonly domain: readonly [number, number];
}

/** The value under the pointer, with its place. */
export function Readout({ panel, domain }: ReadoutProps) {
  const [at, setAt] = useState<readonly [number, number]>();
  const found = at && readingAt(panel, ...at, domain);
  return (
    <div
      class="readout-frame"
      onPointerMove={({ currentTarget, clientX, clientY }) => {
        const { left, top, width, height } = currentTarget.getBoundingClientRect();
        const part = (place: number) => Math.min(0.999999, Math.max(0, place));
        setAt([part((clientX - left) / width), part((clientY - top) / height)]);
      }}
      onPointerLeave={() => setAt(undefined)}
    >
      {found && (
        <>
          <i class="readout-point" style={{ left: percent(found.across), top: percent(found.down) }} />
          <span
            class={`readout ${found.across > 0.5 ? "to-left" : ""} ${found.down < 0.2 ? "below" : ""}`}
            style={{ left: percent(found.across), top: percent(found.down) }}
          >
            <Mathematics text={found.text} />
          </span>
        </>
      )}
    </div>
  );
}

const percent = (part: number): string => `${(100 * part).toFixed(3)}%`;
