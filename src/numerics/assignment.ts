import { DataError } from "../errors.js";

export interface Matching {
  /** The sum of the chosen costs. Divided by n it is W1 between two samples of n points. */
  readonly total: number;
  /** The column matched with every row: a permutation. */
  readonly columnOfRow: Int32Array;
}

/**
 * The cheapest perfect matching between n rows and n columns, for a row-major matrix of finite costs, in O(n^3).
 * Shortest augmenting paths, one row at a time: Jonker and Volgenant, Computing 38 (1987), after their column
 * reduction; Crouse, IEEE Trans. Aerospace and Electronic Systems 52 (2016), for the form.
 */
export function assignment(costs: ArrayLike<number>, n: number): Matching {
  if (costs.length !== n * n)
    throw new DataError(`${n} rows and columns have ${n * n} costs, not ${costs.length}`);
  const cost = Float64Array.from(costs);
  const bad = cost.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0)
    throw new DataError(`the cost of row ${Math.floor(bad / n)}, column ${bad % n} is ${cost[bad]}`);

  // Hundreds of clients have one input each, and half a million pairs.
  if (n === 1) return { total: cost[0], columnOfRow: new Int32Array(1) };

  const columnOfRow = new Int32Array(n).fill(-1);
  const rowOfColumn = new Int32Array(n).fill(-1);
  const rowPrice = new Float64Array(n);
  const columnPrice = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    let cheapest = 0;
    for (let i = 1; i < n; i++) if (cost[i * n + j] < cost[cheapest * n + j]) cheapest = i;
    columnPrice[j] = cost[cheapest * n + j];
    if (columnOfRow[cheapest] >= 0) continue;
    columnOfRow[cheapest] = j;
    rowOfColumn[j] = cheapest;
  }

  const distance = new Float64Array(n);
  const rowBefore = new Int32Array(n);
  const order = new Int32Array(n); // all columns, the settled ones first
  for (let source = 0; source < n; source++) {
    if (columnOfRow[source] >= 0) continue;
    distance.fill(Infinity);
    for (let j = 0; j < n; j++) order[j] = j;
    let row = source;
    let reach = 0;
    let settled = 0;
    let end = -1;
    while (end < 0) {
      let nearest = settled;
      let least = Infinity;
      for (let p = settled; p < n; p++) {
        const j = order[p];
        const candidate = reach + cost[row * n + j] - rowPrice[row] - columnPrice[j];
        if (candidate < distance[j]) {
          distance[j] = candidate;
          rowBefore[j] = row;
        }
        // Of equally near columns a free one, which ends the search.
        if (distance[j] < least || (distance[j] === least && rowOfColumn[j] < 0)) {
          least = distance[j];
          nearest = p;
        }
      }
      const column = order[nearest];
      order[nearest] = order[settled];
      order[settled++] = column;
      reach = least;
      if (rowOfColumn[column] < 0) end = column;
      else row = rowOfColumn[column];
    }
    rowPrice[source] += reach;
    for (let p = 0; p < settled - 1; p++) {
      const slack = reach - distance[order[p]];
      rowPrice[rowOfColumn[order[p]]] += slack;
      columnPrice[order[p]] -= slack;
    }
    for (let j = end; j >= 0; ) {
      const i = rowBefore[j];
      const freed = columnOfRow[i];
      columnOfRow[i] = j;
      rowOfColumn[j] = i;
      j = freed;
    }
  }
  const total = columnOfRow.reduce((sum, j, i) => sum + cost[i * n + j], 0);
  return { total, columnOfRow };
}
