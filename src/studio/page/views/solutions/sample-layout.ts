import { isCurve, isImage, type SamplePanel } from "../../../../figures/samples/sample-panel.js";

/** The panels of the response or of the input. */
export interface PanelGroup {
  readonly of: "response" | "input";
  readonly panels: readonly SamplePanel[];
}

/** Room about frames, in pixels: axes at the left of the first panel of a group and below, a title above. */
export const AROUND = { left: 54, below: 38, above: 20, gap: 10, colorBar: 42 } as const;
/** Frames are no higher than this and no lower than that. */
const [HIGHEST, LOWEST] = [240, 24];
/** Up to this height frames take what the width gives: rather more rows than the room has than pictures too small. */
const READABLE = 56;
/** Curves have no proportions of their own: they may be so many times as wide as high. */
const WIDEST = 2.4;

export interface SampleLayout {
  readonly rows: readonly (readonly PanelGroup[])[];
  /** Of all frames, in pixels. */
  readonly height: number;
  /** Height of all rows. */
  readonly least: number;
}

/**
 * Response and input in so much room: side by side or one above the other, whichever lets the pictures be larger. Frames
 * have one height; curves fill the width.
 */
export function sampleLayout(
  groups: readonly PanelGroup[],
  room: { readonly width: number; readonly height: number },
): SampleLayout {
  const [beside, above] = [[groups], groups.map((group) => [group])].map((rows) => ({
    rows,
    height: frameHeight(rows, room),
  }));
  const { rows, height } = beside.height >= above.height ? beside : above;
  return {
    rows: rows.map((row) => widened(row, room.width / height, height)),
    height,
    least: heightBesides(rows) + rows.length * height,
  };
}

/** The height of all frames with which rows fit the room. */
function frameHeight(
  rows: readonly (readonly PanelGroup[])[],
  { width, height }: { readonly width: number; readonly height: number },
): number {
  const wide = Math.min(
    ...rows.map(
      (row) => (width - widthBesides(row)) / panelsOf(row).reduce((sum, { aspect }) => sum + aspect, 0),
    ),
  );
  const high = Math.min(HIGHEST, (height - heightBesides(rows)) / rows.length);
  return Math.floor(Math.max(LOWEST, Math.min(wide, Math.max(READABLE, high))));
}

/** Pixels of rows that are no frame. */
const heightBesides = (rows: readonly (readonly PanelGroup[])[]): number =>
  rows.reduce(
    (sum, row) => sum + AROUND.above + AROUND.below + (panelsOf(row).some(isImage) ? AROUND.colorBar : 0),
    0,
  );

const panelsOf = (row: readonly PanelGroup[]): readonly SamplePanel[] => row.flatMap(({ panels }) => panels);

/** Pixels of a row that are no frame. */
const widthBesides = (row: readonly PanelGroup[]): number =>
  row.reduce(
    (sum, { panels }) => sum + AROUND.left + (panels.length - 1) * AROUND.gap,
    (row.length - 1) * AROUND.gap,
  );

/** A row of curves as wide as there is room, in multiples of the height of its frames. */
function widened(row: readonly PanelGroup[], width: number, height: number): readonly PanelGroup[] {
  const all = panelsOf(row);
  if (!all.every(isCurve)) return row;
  const each = Math.min(WIDEST, (width - widthBesides(row) / height) / all.length);
  return row.map((group) => ({
    ...group,
    panels: group.panels.map((panel) => ({ ...panel, aspect: Math.max(panel.aspect, each) })),
  }));
}
