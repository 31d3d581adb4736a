import * as Plot from "@observablehq/plot";
import { DataError } from "../../errors.js";
import {
  beside,
  caption,
  type Drawing,
  figure,
  framed,
  grid,
  heading,
  type Margins,
  panelColumns,
  panelLetter,
  printWidth,
  stack,
} from "../compose.js";
import { figureDocument } from "../document.js";
import { inkOn, PROPORTION_STOPS, proportionColor } from "../palette.js";
import { svg } from "../svg.js";
import { countLabel, countTicks, idTicks } from "../ticks.js";
import { FAINT_INK, GRID, INK, SIZE, textWidth } from "../typography.js";

/** One partition, with its counts as a clients x bins table. */
export interface ClientBinPanel {
  /** Panel label, for example "α = 0.1". */
  readonly label: string;
  readonly counts: readonly (readonly number[])[];
  /** Second line, for example "D_sol = 0.45, CV = 0.31". An underscore starts a subscript. */
  readonly metrics?: string;
}

/** Options of `clientBinHeatmap`. */
export interface ClientBinHeatmapOptions {
  readonly title?: string;
  readonly panels: readonly ClientBinPanel[];
  /** Width in pixels. Default 692 (183 mm in print), or 336 (89 mm) for a single panel. The font size is fixed. */
  readonly width?: number;
  /** Panels per row. Default: one row for up to four panels, two rows for five or six. */
  readonly columns?: number;
}

interface Table {
  readonly clients: number;
  readonly bins: number;
  readonly largestCount: number;
  readonly largestTotal: number;
}

interface Layout extends Table {
  /** Width of a heat map, and of the bars under it. */
  readonly frameWidth: number;
  readonly frameHeight: number;
  /** Size of the counts in the cells, undefined where they do not fit. */
  readonly countSize: number | undefined;
  /** Room for the axis labels at the left of a row's first panel. */
  readonly axisWidth: number;
}

const BARS_HEIGHT = 54;
const ROOM_UNDER = 29; // tick labels and the axis title
const GAP = 14;

/**
 * Draws the paper's `fig:client-bin-distributions` as SVG. Each partition has a heat map with clients as rows and
 * solution bins as columns. Colour shows the bin's proportion within the client, and text shows the count. Bars below
 * show the clients' totals.
 *
 * All panels share the scales of colours and totals. Clients and bins are numbered from 0, as in the partition file.
 */
export function clientBinHeatmap(options: ClientBinHeatmapOptions): string {
  const { title, panels, width = printWidth(panels.length) } = options;
  const table = describe(panels);
  const columns = options.columns ?? panelColumns(panels.length);
  const layout = arrange(table, columns, width);
  const drawings = panels.map((panel, i) =>
    drawPanel(panel, layout, i % columns === 0, panelLetter(i, panels.length)),
  );
  return figure(grid(drawings, columns, { x: 0, y: 14 }), {
    title,
    name: "Samples of each solution bin at each client",
    description:
      `Heat maps of ${table.clients} clients by ${table.bins} solution bins with the clients' totals: ` +
      `${panels.map((panel) => panel.label).join("; ")}.`,
    legend: legend(),
    width,
  });
}

function describe(panels: readonly ClientBinPanel[]): Table {
  if (panels.length === 0) throw new DataError("a heat map needs at least one table of counts");
  const clients = panels[0].counts.length;
  const bins = panels[0].counts[0]?.length ?? 0;
  if (clients === 0 || bins === 0) throw new DataError(`the counts of "${panels[0].label}" are empty`);
  for (const { label, counts } of panels) {
    if (counts.length !== clients || counts.some((row) => row.length !== bins)) {
      throw new DataError(
        `panels share clients and bins: the counts of "${label}" are not ${clients} x ${bins}`,
      );
    }
  }
  const rows = panels.flatMap((panel) => panel.counts);
  const largestCount = rows.reduce((most, row) => Math.max(most, ...row), 0);
  return { clients, bins, largestCount, largestTotal: Math.max(1, ...rows.map(total)) };
}

function arrange(table: Table, columns: number, width: number): Layout {
  const { clients, bins, largestCount, largestTotal } = table;
  const labels = [String(clients - 1), countLabel(countTicks(largestTotal).at(-1)!)].map((label) =>
    textWidth(label, SIZE.tick),
  );
  const axisWidth = 20 + Math.max(...labels);
  const frameWidth = (width - 8 - axisWidth - GAP * columns + GAP / 2) / columns;
  const frameHeight = Math.min(320, Math.max(40, clients * Math.min(18, Math.max(14, frameWidth / bins))));
  const cell = { width: frameWidth / bins, height: frameHeight / clients };
  const fitting = Math.min(
    (cell.width - 2) / textWidth(String(largestCount), 1),
    cell.height - 2,
    SIZE.largestCount,
  );
  const countSize = fitting >= SIZE.smallestCount ? fitting : undefined;
  return { ...table, frameWidth, frameHeight, countSize, axisWidth };
}

function drawPanel(
  panel: ClientBinPanel,
  layout: Layout,
  first: boolean,
  letter: string | undefined,
): Drawing {
  const left = first ? layout.axisWidth : GAP / 2;
  const margins = { top: 5, right: GAP / 2, bottom: ROOM_UNDER, left };
  return stack(
    [
      heading({ letter, title: panel.label, subtitle: panel.metrics }, left, left + layout.frameWidth),
      framed(drawCells(panel.counts, layout, margins, first), margins, {
        x: "solution bin",
        y: first ? "client" : undefined,
      }),
      framed(drawTotals(panel.counts, layout, margins, first), margins, {
        x: "client",
        y: first ? "samples" : undefined,
      }),
    ],
    3,
  );
}

function drawCells(
  counts: ClientBinPanel["counts"],
  layout: Layout,
  margins: Margins,
  first: boolean,
): Element {
  const { clients, bins, frameWidth, frameHeight, countSize } = layout;
  const cells = counts.flatMap((row, client) => {
    const size = Math.max(1, total(row));
    return row.flatMap((count, bin) =>
      count > 0 ? [{ client, bin, count, fill: proportionColor(count / size) }] : [],
    );
  });
  const place = { x: "bin", y: "client" } as const;
  const inset = countSize === undefined ? 0 : 0.5;
  return Plot.plot({
    document: figureDocument(),
    width: frameWidth + margins.left + margins.right,
    height: frameHeight + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { type: "band", domain: ids(bins), padding: 0, round: false, axis: null },
    y: { type: "band", domain: ids(clients), padding: 0, round: false, axis: null },
    marks: [
      // Without gaps between cells, crisp edges keep the ground from shining through their seams.
      Plot.cell(cells, { ...place, fill: "fill", inset, shapeRendering: inset ? undefined : "crispEdges" }),
      countSize === undefined
        ? null
        : Plot.text(cells, {
            ...place,
            text: "count",
            fontSize: countSize,
            fill: (cell) => inkOn(cell.fill),
          }),
      Plot.frame({ stroke: FAINT_INK, strokeWidth: 0.75 }),
      Plot.axisX(idTicks(bins, frameWidth, textWidth(String(bins - 1), SIZE.tick) + 5), idAxis),
      first ? Plot.axisY(idTicks(clients, frameHeight, SIZE.tick + 2), idAxis) : null,
    ],
  });
}

function drawTotals(
  counts: ClientBinPanel["counts"],
  layout: Layout,
  margins: Margins,
  first: boolean,
): Element {
  const { clients, frameWidth, largestTotal } = layout;
  const totals = counts.map((row, client) => ({ client, samples: total(row) }));
  const equalShare = totals.reduce((sum, { samples }) => sum + samples, 0) / clients;
  const ticks = countTicks(largestTotal);
  const dense = clients > 60;
  return Plot.plot({
    document: figureDocument(),
    width: frameWidth + margins.left + margins.right,
    height: BARS_HEIGHT + margins.top + margins.bottom,
    ...plotMargins(margins),
    x: { type: "band", domain: ids(clients), padding: dense ? 0 : 0.2, round: false, axis: null },
    y: { domain: [0, ticks.at(-1)!], axis: null },
    marks: [
      Plot.ruleY(ticks, { stroke: GRID, strokeWidth: 0.75 }),
      Plot.barY(totals, {
        x: "client",
        y: "samples",
        fill: "#7d8ea3",
        shapeRendering: dense ? "crispEdges" : undefined,
      }),
      Plot.ruleY([equalShare], { stroke: INK, strokeWidth: 0.75, strokeDasharray: "3 2" }),
      Plot.ruleY([0], { stroke: FAINT_INK, strokeWidth: 0.75 }),
      Plot.axisX(idTicks(clients, frameWidth, textWidth(String(clients - 1), SIZE.tick) + 5), idAxis),
      first ? Plot.axisY(ticks, { ...idAxis, tickFormat: countLabel }) : null,
    ],
  });
}

const idAxis = { label: null, tickSize: 0, tickPadding: 4, fontVariant: "normal" } as const;

function legend(): Drawing {
  const [width, height] = [90, 7];
  const stops = PROPORTION_STOPS.map(({ offset, color }) => svg("stop", { offset, "stop-color": color }));
  const ticks = [0, 0.5, 1].map((tick) => {
    const { element } = caption(String(tick), { size: SIZE.tick, anchor: "middle" });
    return svg("g", { transform: `translate(${6 + tick * width},${height + 2})` }, element);
  });
  const element = svg(
    "g",
    {},
    svg("linearGradient", { id: "within-client-proportion" }, ...stops),
    svg("rect", {
      x: 6,
      y: 0.5,
      width,
      height,
      fill: "url(#within-client-proportion)",
      stroke: FAINT_INK,
      "stroke-width": 0.75,
    }),
    ...ticks,
  );
  const bar = { width: width + 12, height: height + 2 + SIZE.tick, element };
  const dash = svg("line", {
    x1: 0,
    x2: 20,
    y1: 1,
    y2: 1,
    stroke: INK,
    "stroke-width": 0.75,
    "stroke-dasharray": "3 2",
  });
  const share = beside([{ width: 20, height: 2, element: dash }, caption("equal share")], 6, "middle");
  return beside([share, beside([caption("within-client proportion"), bar], 4, "middle")], 16, "middle");
}

function plotMargins({ top, right, bottom, left }: Margins) {
  return { marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left };
}

function ids(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function total(row: readonly number[]): number {
  return row.reduce((sum, count) => sum + count, 0);
}
