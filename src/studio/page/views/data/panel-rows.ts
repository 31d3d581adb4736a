import { isImage, type SamplePanel, type SamplePanels } from "../../../../figures/samples/sample-panel.js";
import { AROUND_FRAME, roomAtLeft } from "../../parts/field/panel-view.js";
import type { Size } from "../../parts/size-of.js";

/** A panel in its row. */
export interface Cell {
  readonly panel: SamplePanel;
  readonly half: "input" | "response";
  /** Whether its vertical axis is that of the panel before, and need not be drawn again. */
  readonly sharesVertical: boolean;
  /** The same of its horizontal axis and the panel below. */
  readonly sharesHorizontal: boolean;
}

/** Panels of a row whose quantity is the same: they share a colour bar. */
export interface Run {
  readonly cells: readonly Cell[];
  /** Whether the bar stands below, and not below the next row, which has the same quantities. */
  readonly hasBar: boolean;
}

/** Rows of panels, and the height of their frames. */
export interface PanelRows {
  readonly rows: readonly (readonly Run[])[];
  readonly height: number;
}

/** Pixels of the title above a frame, of the colour bar below, and between two panels and two rows. */
const [TITLE, BAR] = [22, 46];
const [GAP, ROW_GAP] = [10, 8];

/** Ticks of curves by quantity. */
type Ticks = ReadonlyMap<string, readonly number[]>;
/** Frames are no lower than this: the view scrolls instead. And no higher, or curves would be all slope. */
const [LOWEST, HIGHEST] = [40, 460];

/** The arrangement of panels in which they are largest: in one row, input above response, or in several rows each. */
export function panelRows({ input, response }: SamplePanels, ticks: Ticks, room: Size): PanelRows {
  const cells = (panels: readonly SamplePanel[], half: Cell["half"]) =>
    panels.map((panel): PlainCell => ({ panel, half }));
  const [above, below] = [cells(input, "input"), cells(response, "response")];
  const wrapped = (count: number) => [...inRows(above, count), ...inRows(below, count)];
  const longest = Math.max(above.length, below.length);
  const candidates = [
    [[...above, ...below]],
    ...Array.from({ length: Math.min(3, longest) }, (_, i) => wrapped(i + 1)),
  ].map((rows) => withShared(rows.filter((row) => row.length > 0)));
  return candidates
    .map((rows) => arranged(rows, ticks, room))
    .reduce((best, one) => (one.height > best.height + 4 ? one : best));
}

const inRows = <T>(all: readonly T[], rows: number): T[][] => {
  const length = Math.ceil(all.length / rows);
  return Array.from({ length: rows }, (_, i) => all.slice(i * length, (i + 1) * length));
};

type PlainCell = Pick<Cell, "panel" | "half">;

/** Marks the axes that a neighbour at the left or below has as well. */
function withShared(rows: readonly (readonly PlainCell[])[]): Cell[][] {
  return rows.map((row, r) => {
    const below = rows[r + 1];
    const areAbove =
      below?.length === row.length && row.every(({ panel }, i) => isSameAxis("x", panel, below[i].panel));
    return row.map((cell, i) => ({
      ...cell,
      sharesVertical: i > 0 && isSameAxis("y", cell.panel, row[i - 1].panel),
      sharesHorizontal: areAbove,
    }));
  });
}

function isSameAxis(which: "x" | "y", one: SamplePanel, other: SamplePanel): boolean {
  if (!isImage(one) || !isImage(other)) return false;
  const [a, b] = [one.image[which], other.image[which]];
  return a.label === b.label && a.start === b.start && a.end === b.end && one.aspect === other.aspect;
}

function arranged(rows: readonly (readonly Cell[])[], ticks: Ticks, { width, height }: Size): PanelRows {
  const runs = rows.map((row, r) => runsOf(row, rows[r + 1]));
  const across = rows.map((row) => {
    const left = ({ panel, sharesVertical }: Cell) =>
      roomAtLeft(panel, ticks.get(panel.quantity), !sharesVertical);
    const used = row.reduce((sum, cell) => sum + left(cell) + AROUND_FRAME.right + GAP, -GAP);
    return (width - used) / row.reduce((sum, { panel }) => sum + panel.aspect, 0);
  });
  const fixed = runs.reduce(
    (sum, row, r) =>
      sum +
      TITLE +
      AROUND_FRAME.above +
      (rows[r].every(({ sharesHorizontal }) => sharesHorizontal) ? AROUND_FRAME.edge : AROUND_FRAME.below) +
      (row.some(({ hasBar }) => hasBar) ? BAR : 0),
    ROW_GAP * (runs.length - 1),
  );
  const down = (height - fixed) / rows.length;
  return { rows: runs, height: Math.floor(Math.max(LOWEST, Math.min(HIGHEST, down, ...across))) };
}

/** Neighbours of one quantity. A row that is repeated below, quantity by quantity, leaves its bars to the row below. */
function runsOf(row: readonly Cell[], next: readonly Cell[] | undefined): Run[] {
  const isRepeated =
    next?.length === row.length && row.every(({ panel }, i) => next[i].panel.quantity === panel.quantity);
  const runs: Cell[][] = [];
  row.forEach((cell, i) => {
    const isSame = i > 0 && row[i - 1].panel.quantity === cell.panel.quantity;
    if (isSame) runs.at(-1)!.push(cell);
    else runs.push([cell]);
  });
  return runs.map((cells) => ({ cells, hasBar: !isRepeated && cells.some(({ panel }) => isImage(panel)) }));
}
