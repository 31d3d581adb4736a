/**
 * The transportation problem: ship what the rows supply to where the columns demand it, at the least cost, with
 * a dense matrix of costs. Solved in place, so that a workspace serves thousands of problems.
 *
 * The solution is a tree over all rows and columns, rooted in a column: nodes are the rows 0 to rows - 1 and the
 * columns from `rows` on, and each but the root ships along the edge to its parent.
 */
export interface Transportation {
  /** The size of the problem at hand, at most what the workspace was made for. */
  rows: number;
  columns: number;
  /** Row-major, finite. */
  readonly cost: Float64Array;
  /** Positive amounts with equal totals, supplies of the rows and demands of the columns; used up. */
  readonly supply: Float64Array;
  readonly demand: Float64Array;
  /** The parent of a node, -1 for the root: the column of a row or the row of a column. */
  readonly parent: Int32Array;
  /** The amount shipped between a node and its parent. */
  readonly flow: Float64Array;
  /** Dual prices: along every edge of the tree those of row and column add up to the cost. */
  readonly price: Float64Array;
  readonly depth: Int32Array;
  /** Children as doubly linked lists, -1 at their ends. */
  readonly child: Int32Array;
  readonly next: Int32Array;
  readonly previous: Int32Array;
  /** Columns that the first tree has not closed. */
  readonly open: Int32Array;
}

/** Reduced costs above minus this fraction of the largest cost count as round-off of the prices. */
const TOLERANCE = 1e-13;

/** Room for problems of up to `size` rows and columns. */
export function transportation(size: number): Transportation {
  const indices = () => new Int32Array(2 * size);
  return {
    rows: 0,
    columns: 0,
    cost: new Float64Array(size * size),
    supply: new Float64Array(size),
    demand: new Float64Array(size),
    parent: indices(),
    flow: new Float64Array(2 * size),
    price: new Float64Array(2 * size),
    depth: indices(),
    child: indices(),
    next: indices(),
    previous: indices(),
    open: indices(),
  };
}

/**
 * The network simplex method on strongly feasible trees, which cannot cycle (Cunningham, Mathematical Programming
 * 11, 1976; Ahuja, Magnanti and Orlin, "Network Flows", chapter 11). Amounts only ever meet in minima, sums and
 * differences, so whole amounts below 2^53 stay exact; the cost per unit is the least to within 1e-13 of the
 * largest cost.
 */
export function solveTransportation(problem: Transportation): void {
  const { rows, columns, cost, price } = problem;
  reprice(problem, plant(problem));
  let largest = 0;
  for (let at = 0; at < rows * columns; at++) if (cost[at] > largest) largest = cost[at];
  const worthwhile = -TOLERANCE * largest;
  for (let row = 0, idle = 0; idle < rows; row = row + 1 === rows ? 0 : row + 1) {
    let entering = -1;
    let least = price[row] + worthwhile;
    const toEdge = row * columns - rows;
    for (let column = rows; column < rows + columns; column++) {
      const without = cost[toEdge + column] - price[column];
      if (without < least) {
        least = without;
        entering = column;
      }
    }
    idle = entering < 0 ? idle + 1 : 0;
    if (entering >= 0) pivot(problem, row, entering);
  }
}

/**
 * A first tree, by serving the rows in turn from their cheapest columns. A row and a column that are used up
 * together leave the row open, to ship nothing elsewhere: so an edge without flow always leads from a row up to a
 * column, which makes the tree strongly feasible. Returns the root, the column that stays open to the end.
 */
function plant(problem: Transportation): number {
  const { rows, columns, cost, supply, demand, open } = problem;
  problem.child.fill(-1, 0, rows + columns);
  for (let j = 0; j < columns; j++) open[j] = j;
  let left = columns;
  for (let i = 0; i < rows; ) {
    let cheapest = 0;
    for (let p = 1; p < left; p++)
      if (cost[i * columns + open[p]] < cost[i * columns + open[cheapest]]) cheapest = p;
    const j = open[cheapest];
    // The last row closes all columns but one, even if round-off has left it short of the amount.
    if (left > 1 && (demand[j] <= supply[i] || i === rows - 1)) {
      attach(problem, rows + j, i, demand[j]);
      supply[i] = Math.max(0, supply[i] - demand[j]);
      open[cheapest] = open[--left];
    } else {
      attach(problem, i, rows + j, supply[i]);
      demand[j] -= supply[i];
      i++;
    }
  }
  const root = rows + open[0];
  problem.parent[root] = -1;
  return root;
}

/**
 * Takes the edge from this row to this column into the tree and ships as much as possible around the cycle that it
 * closes. Of the edges that this empties, the one leaves that comes last on the way from the apex of the cycle down
 * to the row, over to the column and up again: the rule that keeps the tree strongly feasible.
 */
function pivot(problem: Transportation, row: number, column: number): void {
  const { rows, parent, flow, depth } = problem;
  let rowSide = row; // the edges to the parent that ship less: of rows on this side, of columns on the other
  let rowAmount = Infinity;
  let columnSide = column;
  let columnAmount = Infinity;
  let a = row;
  let b = column;
  while (a !== b) {
    if (depth[a] > depth[b]) {
      if (a < rows && flow[a] < rowAmount) {
        rowAmount = flow[a];
        rowSide = a;
      }
      a = parent[a];
    } else {
      if (b >= rows && flow[b] <= columnAmount) {
        columnAmount = flow[b];
        columnSide = b;
      }
      b = parent[b];
    }
  }
  const apex = a;
  const amount = Math.min(rowAmount, columnAmount);
  if (amount > 0) {
    for (let node = row; node !== apex; node = parent[node]) flow[node] += node < rows ? -amount : amount;
    for (let node = column; node !== apex; node = parent[node]) flow[node] += node < rows ? amount : -amount;
  }
  if (columnAmount <= rowAmount) rehang(problem, column, row, columnSide, amount);
  else rehang(problem, row, column, rowSide, amount);
}

/** Cuts the subtree of `cut` off, turns it so that its node `top` is uppermost, and hangs it under `above`. */
function rehang(problem: Transportation, top: number, above: number, cut: number, amount: number): void {
  const { parent, flow } = problem;
  let node = top;
  for (;;) {
    const below = node;
    const formerParent = parent[node];
    const formerFlow = flow[node];
    detach(problem, node);
    attach(problem, node, above, amount);
    if (node === cut) break;
    node = formerParent;
    above = below;
    amount = formerFlow;
  }
  reprice(problem, top);
}

function attach(
  { parent, flow, child, next, previous }: Transportation,
  node: number,
  to: number,
  amount: number,
) {
  const sibling = child[to];
  parent[node] = to;
  flow[node] = amount;
  next[node] = sibling;
  previous[node] = -1;
  if (sibling >= 0) previous[sibling] = node;
  child[to] = node;
}

function detach({ parent, child, next, previous }: Transportation, node: number): void {
  if (previous[node] < 0) child[parent[node]] = next[node];
  else next[previous[node]] = next[node];
  if (next[node] >= 0) previous[next[node]] = previous[node];
}

/** Prices and depths of a subtree, from those of the node above it. */
function reprice(
  { rows, columns, cost, parent, price, depth, child, next }: Transportation,
  top: number,
): void {
  let node = top;
  for (;;) {
    const above = parent[node];
    if (above < 0) {
      price[node] = 0;
      depth[node] = 0;
    } else {
      const edge = node < rows ? node * columns + above - rows : above * columns + node - rows;
      price[node] = cost[edge] - price[above];
      depth[node] = depth[above] + 1;
    }
    if (child[node] >= 0) node = child[node];
    else {
      while (node !== top && next[node] < 0) node = parent[node];
      if (node === top) return;
      node = next[node];
    }
  }
}
