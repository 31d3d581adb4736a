import type { Flow } from "../../../../lab/plan.js";
import type { Columns } from "../heat-map/columns.js";

/** Heights in pixels from top to bottom: bars of one client, flows, bars of the other. */
export interface PlanHeights {
  readonly bars: number;
  readonly flows: number;
}

/** A flow as a ribbon between two bins. */
export interface Ribbon {
  readonly flow: Flow;
  readonly path: string;
  /** Distance between the two bins. */
  readonly cost: number;
  /** Where its label stands; undefined where there is no room or nothing to say. */
  readonly label?: readonly [x: number, y: number];
}

/** Widest that all mass may be, so that narrow bins still show where it goes. */
const LEAST_WIDTH = 40;
/** Mass from which on a ribbon has its cost printed on it. */
const LABELLED_MASS = 0.05;
const LABEL = { width: 34, height: 14 } as const;

/**
 * Ribbons between the bins of two clients, as wide as the mass that they carry: mass 1 is a column wide. Flows of a bin lie
 * side by side in the order of the bins where they end, so that those of one bin do not cross.
 */
export function ribbonsOf(
  flows: readonly Flow[],
  columns: Columns,
  { bars, flows: height }: PlanHeights,
): Ribbon[] {
  const widest = Math.max(columns.each - 2, Math.min(LEAST_WIDTH, columns.width / 4));
  const [top, bottom] = [bars, bars + height];
  const at = new Map<Flow, { from?: number; to?: number }>(flows.map((flow) => [flow, {}]));
  for (const end of ["from", "to"] as const) {
    const other = end === "from" ? "to" : "from";
    for (const bin of new Set(flows.map((flow) => flow[end]))) {
      const own = flows.filter((flow) => flow[end] === bin).sort((a, b) => a[other] - b[other]);
      const total = own.reduce((sum, { mass }) => sum + mass, 0);
      let x = columns.left + (bin + 0.5) * columns.each - (total * widest) / 2;
      for (const flow of own) {
        at.get(flow)![end] = x;
        x += flow.mass * widest;
      }
    }
  }
  const middle = (top + bottom) / 2;
  const ribbons = flows.map((flow): Ribbon => {
    const { from, to } = at.get(flow) as { from: number; to: number };
    const width = Math.max(0.75, flow.mass * widest);
    const edge = (start: number, end: number, y: readonly [number, number]) =>
      `${start.toFixed(1)},${y[0]}C${start.toFixed(1)},${middle} ${end.toFixed(1)},${middle} ${end.toFixed(1)},${y[1]}`;
    const path = `M${edge(from, to, [top, bottom])}L${edge(to + width, from + width, [bottom, top])}Z`;
    return { flow, path, cost: flow.cost / flow.mass };
  });
  return labelled(ribbons, (ribbon) => {
    const { from, to } = at.get(ribbon.flow) as { from: number; to: number };
    return [(from + to + ribbon.flow.mass * widest) / 2, middle];
  });
}

/** The dearest flows with places for their costs, none on top of another. */
function labelled(
  ribbons: readonly Ribbon[],
  placeOf: (ribbon: Ribbon) => readonly [number, number],
): Ribbon[] {
  const taken: (readonly [number, number])[] = [];
  const labels = new Map<Ribbon, readonly [number, number]>();
  const dearest = ribbons
    .filter(({ flow }) => flow.from !== flow.to && flow.mass >= LABELLED_MASS)
    .sort((a, b) => b.flow.cost - a.flow.cost);
  for (const ribbon of dearest) {
    const [x, middle] = placeOf(ribbon);
    const y = [middle, middle - LABEL.height, middle + LABEL.height].find((place) =>
      taken.every(([u, v]) => Math.abs(u - x) > LABEL.width || Math.abs(v - place) >= LABEL.height),
    );
    if (y === undefined) continue;
    taken.push([x, y]);
    labels.set(ribbon, [x, y]);
  }
  return ribbons.map((ribbon) => ({ ...ribbon, label: labels.get(ribbon) }));
}

/** The top of the scale of shares: a round share that covers the largest of both clients. */
export function mostShare(shares: readonly (readonly number[])[]): number {
  const largest = Math.max(...shares.flat());
  return [0.1, 0.2, 0.5].find((share) => largest <= share) ?? 1;
}
