import { idTicks } from "../../../../../figures/ticks.js";
import { textWidth } from "../../../../../figures/typography.js";
import type { SplitView } from "../../../../lab/lab.js";
import type { HeatMapLayout } from "./heat-map-layout.js";
import type { ProportionColors } from "./proportion-colors.js";

/** Colours of the page, as its styles have them. */
export interface PageColors {
  readonly ink: string;
  readonly faint: string;
  readonly line: string;
  readonly strongLine: string;
  readonly ground: string;
  readonly accent: string;
  readonly second: string;
  readonly warn: string;
  readonly font: string;
}

/** The colours of the present theme. */
export function pageColors(): PageColors {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    ink: of("--ink"),
    faint: of("--faint"),
    line: of("--line"),
    strongLine: of("--strong-line"),
    ground: of("--ground"),
    accent: of("--accent"),
    second: of("--second"),
    warn: of("--warn"),
    font: of("--font"),
  };
}

export interface HeatMapPicture {
  readonly split: SplitView;
  readonly sizes: readonly number[];
  readonly layout: HeatMapLayout;
  readonly proportions: ProportionColors;
  readonly page: PageColors;
  readonly pair: readonly [number, number];
}

const TICK = 11;
const LABEL_HEIGHT = 14;

/** Paints cells, client sizes and their axes; a step of the dial paints everything anew. */
export function paintHeatMap(context: CanvasRenderingContext2D, picture: HeatMapPicture): void {
  const { canvas } = context;
  const ratio = devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, canvas.width / ratio, canvas.height / ratio);
  context.textBaseline = "middle";
  paintCells(context, picture);
  paintAxes(context, picture);
  paintSizes(context, picture);
  paintPair(context, picture);
}

function paintCells(
  context: CanvasRenderingContext2D,
  { split, sizes, layout, proportions, page }: HeatMapPicture,
) {
  const { left, each, top, row, width, height, numberSize } = layout;
  const gap = each > 8 && row > 8 ? 1 : 0;
  context.fillStyle = proportions.color(0);
  context.fillRect(left, top, width, height);
  context.textAlign = "center";
  if (numberSize) context.font = `${numberSize}px ${page.font}`;
  // Edges lie on whole pixels, without seams between cells.
  const xs = split.counts[0].map((_, bin) => Math.round(left + bin * each));
  xs.push(Math.round(left + width));
  split.counts.forEach((counts, client) => {
    const y = Math.round(top + client * row);
    const below = Math.round(top + (client + 1) * row);
    counts.forEach((count, bin) => {
      if (count === 0) return;
      const share = count / sizes[client];
      context.fillStyle = proportions.color(share);
      context.fillRect(xs[bin], y, xs[bin + 1] - xs[bin] - gap, below - y - gap);
      if (!numberSize) return;
      context.fillStyle = proportions.ink(share);
      context.fillText(String(count), (xs[bin] + xs[bin + 1] - gap) / 2, (y + below - gap) / 2 + 0.5);
    });
  });
  context.strokeStyle = page.strongLine;
  context.lineWidth = 1;
  context.strokeRect(
    Math.round(left) - 0.5,
    Math.round(top) - 0.5,
    Math.round(width) + 1,
    Math.round(height) + 1,
  );
}

function paintAxes(context: CanvasRenderingContext2D, { split, layout, page }: HeatMapPicture) {
  const { left, each, top, row, width, height } = layout;
  const { bins, clients } = split;
  context.font = `${TICK}px ${page.font}`;
  context.fillStyle = page.faint;
  context.textAlign = "center";
  for (const bin of idTicks(bins, width, textWidth(String(bins - 1), TICK) + 5))
    context.fillText(String(bin), left + (bin + 0.5) * each, top + height + 10);
  context.fillText("solution bin", left + width / 2, top + height + 25);
  context.textAlign = "right";
  for (const client of idTicks(clients, height, TICK + 2))
    context.fillText(String(client), left - 6, top + (client + 0.5) * row + 0.5);
  context.save();
  context.translate(9, top + height / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillText("client", 0, 0);
  context.restore();
}

/** Client sizes: what was drawn, what repair added, and dashed what repair took away. */
function paintSizes(context: CanvasRenderingContext2D, { split, sizes, layout, page }: HeatMapPicture) {
  const { top, row, height, beside, sizeAt } = layout;
  const { received, given, minSize, clients } = split;
  const hasNumbers = row >= TICK;
  const thickness = Math.max(1, Math.min(16, row * 0.7));
  context.font = `${TICK}px ${page.font}`;
  context.lineWidth = 1;
  const equalShare = sizes.reduce((a, b) => a + b, 0) / clients;
  context.fillStyle = page.faint;
  context.textAlign = "left";
  context.fillText("samples", beside.left, top - 11);
  mark(sizeAt(equalShare), [1, 3], page.ink);
  mark(sizeAt(minSize), [4, 3], page.warn);
  context.strokeStyle = page.strongLine;
  context.beginPath();
  context.moveTo(beside.left - 0.5, top);
  context.lineTo(beside.left - 0.5, top + height);
  context.stroke();
  sizes.forEach((size, client) => {
    const y = top + (client + 0.5) * row - thickness / 2;
    const drawn = sizeAt(size - received[client]);
    context.globalAlpha = 0.5;
    context.fillStyle = page.accent;
    context.fillRect(beside.left, y, drawn - beside.left, thickness);
    context.globalAlpha = 1;
    if (received[client] > 0) paintMoved(context, { x: drawn, y, end: sizeAt(size), thickness, page });
    if (given[client] > 0 && thickness > 3) {
      context.setLineDash([2, 2]);
      context.strokeStyle = page.faint;
      const end = Math.min(beside.left + beside.width, sizeAt(size + given[client]));
      context.strokeRect(sizeAt(size) + 0.5, y + 0.5, Math.max(1, end - sizeAt(size) - 1), thickness - 1);
      context.setLineDash([]);
    }
    if (!hasNumbers) return;
    const beyond = sizeAt(size + given[client]);
    const moved =
      received[client] > 0 ? ` (+${received[client]})` : given[client] > 0 ? ` (−${given[client]})` : "";
    const words = `${size}${moved}`;
    context.fillStyle = page.ink;
    context.textAlign = "left";
    const most = beside.left + beside.width - textWidth(words, TICK);
    context.strokeStyle = page.ground;
    context.lineWidth = 3;
    context.strokeText(words, Math.min(beyond + 5, most), y + thickness / 2 + 0.5);
    context.lineWidth = 1;
    context.fillText(words, Math.min(beyond + 5, most), y + thickness / 2 + 0.5);
  });
  context.fillStyle = page.faint;
  // Two labels under the axis, apart where their lines are close.
  const [least, equal] = [`min ${minSize}`, `equal ${Math.round(equalShare)}`];
  const [leastX, equalX] = [sizeAt(minSize), sizeAt(equalShare)];
  const leastEnd = Math.max(beside.left, leastX - textWidth(least, TICK) / 2) + textWidth(least, TICK);
  context.fillText(least, leastEnd - textWidth(least, TICK), top + height + 10);
  context.fillText(equal, Math.max(leastEnd + 8, equalX - textWidth(equal, TICK) / 2), top + height + 10);

  function mark(x: number, dash: readonly number[], color: string): void {
    context.setLineDash([...dash]);
    context.strokeStyle = color;
    context.beginPath();
    context.moveTo(Math.round(x) + 0.5, top - 2);
    context.lineTo(Math.round(x) + 0.5, top + height + 3);
    context.stroke();
    context.setLineDash([]);
  }
}

/** Samples that repair added: hatched, so that colour is not the only difference. */
function paintMoved(
  context: CanvasRenderingContext2D,
  { x, y, end, thickness, page }: { x: number; y: number; end: number; thickness: number; page: PageColors },
) {
  context.save();
  context.beginPath();
  context.rect(x, y, end - x, thickness);
  context.clip();
  context.globalAlpha = 0.35;
  context.fillStyle = page.warn;
  context.fillRect(x, y, end - x, thickness);
  context.globalAlpha = 1;
  context.strokeStyle = page.warn;
  context.beginPath();
  for (let at = x - thickness; at < end; at += 4) {
    context.moveTo(at, y + thickness);
    context.lineTo(at + thickness, y);
  }
  context.stroke();
  context.restore();
}

/** Frames the two clients that are compared, each with the sign that it has in the plan below. */
function paintPair(context: CanvasRenderingContext2D, { layout, page, pair }: HeatMapPicture) {
  const { left, top, row, width } = layout;
  const middles = labelPlaces(pair.map((client) => top + (client + 0.5) * row));
  pair.forEach((client, place) => {
    const color = [page.accent, page.second][place];
    const y = Math.round(top + client * row);
    const height = Math.max(2, Math.round(top + (client + 1) * row) - y);
    context.strokeStyle = color;
    context.lineWidth = 2;
    context.strokeRect(Math.round(left) - 1, y - 1, Math.round(width) + 2, height + 1);
    const label = `${"▲▼"[place]} ${client}`;
    context.font = `600 ${TICK}px ${page.font}`;
    const labelWidth = textWidth(label, TICK, 600) + 6;
    const middle = middles[place];
    context.fillStyle = page.ground;
    context.fillRect(left - 4 - labelWidth, middle - LABEL_HEIGHT / 2, labelWidth, LABEL_HEIGHT);
    context.fillStyle = color;
    context.textAlign = "right";
    context.fillText(label, left - 6, middle + 0.5);
  });
}

/** Two labels where they belong, or pushed apart where they would lie on each other. */
function labelPlaces([first, second]: readonly number[]): readonly number[] {
  const missing = LABEL_HEIGHT - Math.abs(second - first);
  if (missing <= 0) return [first, second];
  const shift = (second > first ? missing : -missing) / 2;
  return [first - shift, second + shift];
}
