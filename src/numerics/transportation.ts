/**
 * The transportation problem: ship what the rows supply to where the columns demand it, at the least cost, with
 * a dense matrix of costs. Solved in place, so that a workspace serves thousands of problems.
 */
export interface Transportation {
  /** The size of the problem at hand, at most what the workspace was made for. */
  rows: number;
  columns: number;
  /** Row-major, finite. */
  readonly cost: Float64Array;
  /** Positive amounts with equal totals; used up by the solution. */
  readonly supply: Float64Array;
  readonly demand: Float64Array;
  /** The solution, column by column: `flow[column * rows + row]`. */
  readonly flow: Float64Array;
  readonly search: Search;
}

/** The dual prices, and the tree of shortest paths that grows from one row. */
interface Search {
  readonly rowPrice: Float64Array;
  readonly columnPrice: Float64Array;
  /** Reduced cost of the shortest path to a row or column, and the step before it. */
  readonly rowDistance: Float64Array;
  readonly columnDistance: Float64Array;
  readonly rowBefore: Int32Array;
  readonly columnBefore: Int32Array;
  /** Rows in the tree, in the order in which they were reached. */
  readonly reached: Int32Array;
  readonly isReached: Uint8Array;
  /** All columns, the settled ones first. */
  readonly order: Int32Array;
}

/** Room for problems of up to `size` rows and columns. */
export function transportation(size: number): Transportation {
  const floats = () => new Float64Array(size);
  const indices = () => new Int32Array(size);
  return {
    rows: 0,
    columns: 0,
    cost: new Float64Array(size * size),
    supply: floats(),
    demand: floats(),
    flow: new Float64Array(size * size),
    search: {
      rowPrice: floats(),
      columnPrice: floats(),
      rowDistance: floats(),
      columnDistance: floats(),
      rowBefore: indices(),
      columnBefore: indices(),
      reached: indices(),
      isReached: new Uint8Array(size),
      order: indices(),
    },
  };
}

/**
 * Successive shortest paths with prices (Ahuja, Magnanti and Orlin, "Network Flows", section 9.7), the searches
 * as Jonker and Volgenant (Computing 38, 1987) do them for assignments: one row at a time, ending at the nearest
 * unmet demand. Amounts only ever meet in minima and differences, so whole amounts below 2^53 stay exact; with
 * others, what round-off leaves over on one side stays there.
 */
export function solveTransportation(problem: Transportation): void {
  const { rows, columns, supply, demand, flow } = problem;
  flow.fill(0, 0, rows * columns);
  shipAlongCheapest(problem);
  let unmet = 0;
  for (let j = 0; j < columns; j++) if (demand[j] > 0) unmet++;
  for (let i = 0; i < rows; i++) while (supply[i] > 0 && unmet > 0) unmet -= shipFrom(problem, i);
}

/** Prices under which every row and column has an edge of reduced cost zero, and shipments along these edges. */
function shipAlongCheapest(problem: Transportation): void {
  const { rows, columns, cost, search } = problem;
  const { rowPrice, columnPrice } = search;
  for (let j = 0; j < columns; j++) {
    let cheapest = 0;
    for (let i = 1; i < rows; i++) if (cost[i * columns + j] < cost[cheapest * columns + j]) cheapest = i;
    columnPrice[j] = cost[cheapest * columns + j];
    ship(problem, cheapest, j);
  }
  for (let i = 0; i < rows; i++) {
    let cheapest = 0;
    let price = Infinity;
    for (let j = 0; j < columns; j++) {
      const reduced = cost[i * columns + j] - columnPrice[j];
      if (reduced < price) {
        price = reduced;
        cheapest = j;
      }
    }
    rowPrice[i] = price;
    ship(problem, i, cheapest);
  }
}

function ship({ rows, supply, demand, flow }: Transportation, row: number, column: number): void {
  const amount = Math.min(supply[row], demand[column]);
  flow[column * rows + row] += amount;
  supply[row] -= amount;
  demand[column] -= amount;
}

/**
 * Grows the tree of shortest paths from a row and ships along every path that ends at an unmet demand, until the
 * supply is used up or a shipment has emptied an edge of the tree. Returns how many demands it met.
 */
function shipFrom(problem: Transportation, source: number): number {
  const { rows, columns, cost, supply, demand, flow, search } = problem;
  const { rowPrice, columnPrice, rowDistance, columnDistance, rowBefore, columnBefore } = search;
  const { reached, isReached, order } = search;
  isReached.fill(0, 0, rows);
  isReached[source] = 1;
  reached[0] = source;
  rowDistance[source] = 0;
  for (let j = 0; j < columns; j++) {
    columnDistance[j] = cost[source * columns + j] - rowPrice[source] - columnPrice[j];
    columnBefore[j] = source;
    order[j] = j;
  }
  let reachedRows = 1;
  let settled = 0;
  let distance = 0;
  let met = 0;
  while (settled < columns) {
    let nearest = settled;
    for (let p = settled + 1; p < columns; p++)
      if (columnDistance[order[p]] < columnDistance[order[nearest]]) nearest = p;
    const j = order[nearest];
    order[nearest] = order[settled];
    order[settled++] = j;
    distance = columnDistance[j];
    if (demand[j] > 0) {
      const whole = shipAlongPath(problem, source, j);
      if (demand[j] === 0) met++;
      if (!whole || supply[source] === 0) break;
    }
    for (let i = 0; i < rows; i++) {
      if (flow[j * rows + i] === 0 || isReached[i]) continue;
      isReached[i] = 1;
      reached[reachedRows++] = i;
      rowDistance[i] = distance;
      rowBefore[i] = j;
      const before = distance - rowPrice[i];
      for (let p = settled; p < columns; p++) {
        const k = order[p];
        const candidate = before + cost[i * columns + k] - columnPrice[k];
        if (candidate < columnDistance[k]) {
          columnDistance[k] = candidate;
          columnBefore[k] = i;
        }
      }
    }
  }
  for (let p = 0; p < settled; p++) columnPrice[order[p]] += columnDistance[order[p]] - distance;
  for (let p = 0; p < reachedRows; p++) rowPrice[reached[p]] += distance - rowDistance[reached[p]];
  return met;
}

/** Ships all that the path to this column lets through; false if that emptied an edge within the path. */
function shipAlongPath(problem: Transportation, source: number, column: number): boolean {
  const { rows, supply, demand, flow } = problem;
  const { rowBefore, columnBefore } = problem.search;
  let amount = Math.min(supply[source], demand[column]);
  for (let i = columnBefore[column]; i !== source; i = columnBefore[rowBefore[i]])
    amount = Math.min(amount, flow[rowBefore[i] * rows + i]);
  let whole = true;
  let j = column;
  for (;;) {
    const i = columnBefore[j];
    flow[j * rows + i] += amount;
    if (i === source) break;
    j = rowBefore[i];
    flow[j * rows + i] -= amount;
    if (flow[j * rows + i] === 0) whole = false;
  }
  supply[source] -= amount;
  demand[column] -= amount;
  return whole;
}
