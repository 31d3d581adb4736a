import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { SplitView } from "../../../../lab/lab.js";
import { useSizeOf } from "../../../parts/size-of.js";
import { theme } from "../../../parts/theme-button.js";
import { change } from "../../../state.js";
import { cursor, pair, pairWith } from "../state.js";
import { cellWords, clientWords } from "./cell-words.js";
import { type HeatMapLayout, heatMapLayout } from "./heat-map-layout.js";
import { pageColors, paintHeatMap } from "./paint-heat-map.js";
import { PROPORTION_COLORS } from "./proportion-colors.js";

/** Samples of every client in every bin, and client sizes beside them. A row is a client: it can be chosen for comparison. */
export function HeatMap({ split }: { readonly split: SplitView }) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSizeOf(place);
  const sizes = useMemo(() => split.counts.map((row) => row.reduce((a, b) => a + b, 0)), [split]);
  const layout = useMemo(() => {
    if (!size || size.width < 200 || size.height < 60) return undefined;
    const largestCount = split.counts.reduce((most, row) => Math.max(most, ...row), 0);
    return heatMapLayout(size, split.counts, { largestCount, largestSize: Math.max(...sizes) });
  }, [split, sizes, size]);
  const chosen = pair.value;
  const mode = theme.value;
  const page = useMemo(pageColors, [mode]);
  useLayoutEffect(() => {
    if (!layout || !size) return;
    const element = canvas.current!;
    const [width, height] = [size.width, size.height].map((length) => Math.round(length * devicePixelRatio));
    if (element.width !== width || element.height !== height) Object.assign(element, { width, height });
    const proportions = PROPORTION_COLORS[mode];
    paintHeatMap(element.getContext("2d")!, {
      ...{ split, sizes, layout, proportions, page, pair: chosen },
    });
    // Whose picture it is: tests and the benchmark wait for it.
    element.dataset.alpha = String(split.alpha ?? "");
  }, [split, layout, size, mode, chosen[0], chosen[1]]);
  return (
    <div ref={place} class="heat-place">
      <canvas ref={canvas} style={size && { width: `${size.width}px`, height: `${size.height}px` }} />
      {layout && <Rows split={split} sizes={sizes} layout={layout} />}
    </div>
  );
}

interface RowsProps {
  readonly split: SplitView;
  readonly sizes: readonly number[];
  readonly layout: HeatMapLayout;
}

/** The rows as a list to choose from, over the canvas: arrow keys go from cell to cell, and Enter chooses the client. */
function Rows({ split, sizes, layout }: RowsProps) {
  const { clients, bins } = split;
  const { left, each, top, row, width, height, beside } = layout;
  const at = cursor.value;
  const choose = (client: number) => change({ pair: pairWith(pair.value, client) });
  const point = (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
    const { x, y } = event.currentTarget.getBoundingClientRect();
    const client = Math.min(clients - 1, Math.max(0, Math.floor((event.clientY - y) / row)));
    const bin = Math.floor((event.clientX - x - left) / each);
    const isCell = bin >= 0 && bin < bins;
    if (at && !at.isByKey && at.client === client && at.bin === (isCell ? bin : undefined)) return;
    cursor.value = { client, ...(isCell && { bin }), isByKey: false };
  };
  const move = (event: KeyboardEvent) => {
    const { client, bin } = at ?? { client: -1, bin: undefined };
    const to = (nextClient: number, nextBin: number | undefined) => {
      const within = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
      cursor.value = {
        client: within(nextClient, clients),
        ...(nextBin !== undefined && nextBin >= 0 && { bin: within(nextBin, bins) }),
        isByKey: true,
      };
    };
    if (event.key === "ArrowDown") to(client + 1, bin);
    else if (event.key === "ArrowUp") to(client - 1, bin);
    else if (event.key === "ArrowRight") to(client, (bin ?? -1) + 1);
    else if (event.key === "ArrowLeft") to(client, bin === undefined ? undefined : bin - 1);
    else if (event.key === "Home") to(0, bin);
    else if (event.key === "End") to(clients - 1, bin);
    else if ((event.key === "Enter" || event.key === " ") && at) choose(at.client);
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="heat-rows"
      role="listbox"
      tabIndex={0}
      aria-multiselectable="true"
      aria-label={`${clients} clients by ${bins} bins`}
      aria-activedescendant={at && at.client < clients ? `client-${at.client}` : undefined}
      style={{ top: `${top}px`, height: `${height}px`, width: `${beside.left + beside.width}px` }}
      onPointerMove={point}
      onPointerLeave={() => {
        cursor.value = undefined;
      }}
      onKeyDown={move}
      onBlur={() => {
        cursor.value = undefined;
      }}
    >
      {split.counts.map((counts, client) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys are those of the list
        // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
        <div
          key={client}
          id={`client-${client}`}
          role="option"
          aria-selected={pair.value.includes(client)}
          aria-label={clientWords(split, { client, counts, size: sizes[client] })}
          class="heat-row"
          style={{ top: `${client * row}px`, height: `${row}px` }}
          onClick={() => choose(client)}
        />
      ))}
      {at && at.client < clients && (
        <i
          class="heat-cursor"
          style={{
            top: `${at.client * row}px`,
            height: `${row}px`,
            left: `${at.bin === undefined ? left : left + at.bin * each}px`,
            width: `${at.bin === undefined ? width : each}px`,
          }}
        />
      )}
    </div>
  );
}

/** What lies under the pointer, or how to use the heat map. */
export function Readout({ split }: { readonly split: SplitView }) {
  const at = cursor.value;
  const isThere = at !== undefined && at.client < split.clients && (at.bin ?? 0) < split.bins;
  return (
    <p class="heat-readout small" aria-live={at?.isByKey ? "polite" : "off"}>
      {isThere ? cellWords(split, at) : "Click two rows to compare two clients."}
    </p>
  );
}
