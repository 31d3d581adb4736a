/** Options of `textHeatmap`. */
export interface TextHeatmapOptions {
  /** Whether to use 256-colour escape sequences. If false, block characters show the shades. Default false. */
  readonly color?: boolean;
  /** Terminal width in characters. Default 80. */
  readonly width?: number;
}

const SHOWN_CLIENTS = 40;
const SHADES = ["░", "▒", "▓", "█"];
// Light to dark blue among the 256 colours of terminals; black text on the first five, white on the others.
const GROUNDS = [195, 153, 117, 75, 32, 25, 18, 17];
const [BLACK, WHITE] = [16, 231];
const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const [SHORTEST_BAR, LONGEST_BAR] = [6, 20];

/**
 * Draws the heat map of {@link clientBinHeatmap} for a terminal, with clients as rows and solution bins as columns.
 * Shade shows the proportion within the client, and a bar shows the client's total. Cells show counts if they fit.
 */
export function textHeatmap(
  counts: readonly (readonly number[])[],
  { color = false, width = 80 }: TextHeatmapOptions = {},
): string {
  const shown = counts.slice(0, SHOWN_CLIENTS);
  const totals = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  const largest = Math.max(1, ...totals);
  const layout = arrange(counts, largest, width);
  const rows = shown.map((row, client) => {
    const cells = row
      .slice(0, layout.bins)
      .map((count) => cell(count, count / (totals[client] || 1), layout, color));
    const total = String(totals[client]).padStart(layout.totalWidth);
    const length = bar(totals[client] / largest, layout.bar);
    return `${String(client).padStart(6)} ${cells.join("")}  ${total} ${length}`.trimEnd();
  });
  return [`${" ".repeat(7)}solution bin`, header(layout), ...rows, ...omissions(counts, totals, layout)].join(
    "\n",
  );
}

interface Layout {
  /** Bins shown. */
  readonly bins: number;
  /** Characters of a cell. */
  readonly cell: number;
  readonly showCounts: boolean;
  readonly totalWidth: number;
  /** Characters of the longest bar. */
  readonly bar: number;
}

/** Cells with counts if the line allows, else of two characters, else of one, else as many bins as fit. */
function arrange(counts: readonly (readonly number[])[], largest: number, width: number): Layout {
  const bins = counts[0]?.length ?? 0;
  const digits = String(counts.reduce((most, row) => Math.max(most, ...row), 0)).length;
  const totalWidth = Math.max("samples".length, String(largest).length);
  const room = width - 7 - 2 - totalWidth - 1 - SHORTEST_BAR;
  const withCounts = Math.max(digits, String(bins - 1).length) + 2; // a shade, the count, a blank
  const showCounts = bins * withCounts <= room;
  const cell = showCounts ? withCounts : bins * 2 <= room ? 2 : 1;
  const shown = Math.max(1, Math.min(bins, Math.floor(room / cell)));
  const bar = Math.min(LONGEST_BAR, Math.max(SHORTEST_BAR, room + SHORTEST_BAR - shown * cell));
  return { bins: shown, cell, showCounts, totalWidth, bar };
}

function header({ bins, cell, totalWidth }: Layout): string {
  const every = cell > 2 ? 1 : cell === 2 && bins <= 10 ? 1 : cell === 2 ? 5 : 10;
  let labels = "";
  for (let bin = 0; bin < bins; bin += every) {
    const label = String(bin);
    labels += cell > 2 ? `${label.padStart(cell - 1)} ` : label.padEnd(cell * every);
  }
  return `client ${labels.slice(0, bins * cell).padEnd(bins * cell)}  ${"samples".padStart(totalWidth)}`;
}

function cell(count: number, proportion: number, { cell: size, showCounts }: Layout, color: boolean): string {
  if (count === 0) return (showCounts ? "· " : "").padStart(size);
  const shade = SHADES[level(proportion, SHADES.length)];
  if (!showCounts) return color ? painted(" ".repeat(size), proportion) : shade.repeat(size);
  const text = String(count).padStart(size - 2);
  return color ? painted(` ${text} `, proportion) : `${shade}${text} `;
}

function painted(text: string, proportion: number): string {
  const step = level(proportion, GROUNDS.length);
  return `\x1b[48;5;${GROUNDS[step]};38;5;${step < 5 ? BLACK : WHITE}m${text}\x1b[0m`;
}

/** Which of so many shades a proportion gets: by its square root, as in the figure. */
function level(proportion: number, shades: number): number {
  return Math.min(shades - 1, Math.floor(Math.sqrt(proportion) * shades));
}

function bar(fraction: number, length: number): string {
  const eighths = Math.round(fraction * length * 8);
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

function omissions(
  counts: readonly (readonly number[])[],
  totals: readonly number[],
  { bins }: Layout,
): string[] {
  const notes: string[] = [];
  const rest = totals.slice(SHOWN_CLIENTS);
  if (rest.length > 0) {
    notes.push(
      `     … and ${rest.length} more clients, of ${Math.min(...rest)} to ${Math.max(...rest)} samples`,
    );
  }
  const hidden = (counts[0]?.length ?? 0) - bins;
  if (hidden > 0) notes.push(`     … and ${hidden} more bins`);
  return notes;
}
