import type { Pointer, RowMatrix } from "./row-matrix.js";
import { sketchBytes } from "./row-sketches.js";

/** Rows, and groups of 8 columns, that a thread takes at a time. */
const ROWS = 32;
const GROUPS = 64;

/**
 * The two steps of Lloyd's iteration with their working memory. Sums of clusters are float64 and change by
 * the rows that move, so that a step late in the iteration costs little.
 */
export class Lloyd {
  /** Cluster of every row, int32. */
  private readonly labels: Pointer;
  /** Bounds of the distance to the own centroid (float64) and to all (float32); see the kernel `assign`. */
  private readonly uppers: Pointer;
  private readonly lowers: Pointer;
  /** Sums (float64), sizes (int32) and means (float64) of the clusters. */
  private readonly sums: Pointer;
  private readonly sizes: Pointer;
  private readonly means: Pointer;
  /** Means rounded to float32, which rows are compared with: now, and before the last step. */
  private centroids: Pointer;
  private previous: Pointer;
  /** Sketches of the centroids, for a matrix that has sketches. */
  private readonly centroidSketches: Pointer;
  /** How far every centroid has moved since the start, and the distances between them, float64. */
  private readonly drifts: Pointer;
  private readonly separations: Pointer;
  /** Rows that change their cluster: (row, old, new) in int32. */
  private readonly moves: Pointer;
  /** Squared distances of the rows from their means, float64. */
  private readonly squares: Pointer;
  /** The clusters in whose sums the rows are; -1 for none. */
  private readonly counted: Int32Array;

  constructor(
    private readonly matrix: RowMatrix,
    private readonly clusters: number,
  ) {
    const { rows } = matrix;
    [
      this.labels,
      this.uppers,
      this.lowers,
      this.sums,
      this.sizes,
      this.means,
      this.centroids,
      this.previous,
      this.centroidSketches,
      this.drifts,
      this.separations,
      this.moves,
      this.squares,
    ] = matrix.allocateAll(Lloyd.workingMemory(matrix, clusters));
    this.counted = new Int32Array(rows).fill(-1);
    matrix.doubles(this.uppers, rows).fill(Infinity);
  }

  /** Bytes of everything above, in the order in which the constructor takes them. */
  static workingMemory({ rows, stride, sketchCoordinates }: RowMatrix, clusters: number): number[] {
    return [
      rows * 4,
      rows * 8,
      rows * clusters * 4,
      clusters * stride * 8,
      clusters * 4,
      clusters * stride * 8,
      clusters * stride * 4,
      clusters * stride * 4,
      clusters * sketchBytes(sketchCoordinates),
      clusters * 8,
      clusters * clusters * 8,
      rows * 12,
      rows * 8,
    ];
  }

  release(): void {
    this.matrix.release(this.labels);
  }

  /** Moves the centroids to the means of these clusters; returns how many rows were elsewhere before. */
  async update(labels: Int32Array): Promise<number> {
    const { matrix, counted } = this;
    const moves = matrix.ints(this.moves, matrix.rows * 3);
    let moved = 0;
    for (let i = 0; i < labels.length; i++) {
      if (labels[i] !== counted[i]) moves.set([i, counted[i], labels[i]], 3 * moved++);
    }
    if (moved === 0) return 0;
    counted.set(labels);
    let next = 0; // the first move that is not done
    await matrix.pass(
      async ({ base, to }) => {
        const first = next;
        while (next < moved && moves[3 * next] < to) next++;
        if (next === first) return;
        const some = [this.moves + 12 * first, next - first];
        await matrix.run("moveRows", matrix.stride / 8, GROUPS, base, matrix.stride, ...some, this.sums);
      },
      (chosen, { from, to }) => {
        const flags = matrix.bytes(chosen + from, to - from).fill(0);
        for (let m = 0; m < moved; m++) if (moves[3 * m] >= from) flags[moves[3 * m] - from] = 1;
      },
    );
    await this.recentre(clusterSizes(labels, this.clusters));
    return moved;
  }

  /** The same from nothing, so that the means are a function of the labels and not of the way to them. */
  async restart(labels: Int32Array): Promise<void> {
    this.matrix.doubles(this.sums, this.clusters * this.matrix.stride).fill(0);
    this.counted.fill(-1);
    await this.update(labels);
  }

  /** Puts the centroids (clusters x columns) where they are told to be. */
  async place(centroids: Float64Array): Promise<void> {
    const { columns, stride } = this.matrix;
    const sums = this.matrix.doubles(this.sums, this.clusters * stride);
    for (let b = 0; b < this.clusters; b++) {
      sums.set(centroids.subarray(b * columns, (b + 1) * columns), b * stride);
    }
    await this.recentre(new Int32Array(this.clusters).fill(1));
  }

  /** The nearest centroid of every row, starting the search from the given ones. */
  async nearest(labels: Int32Array): Promise<Int32Array> {
    const { matrix } = this;
    matrix.ints(this.labels, matrix.rows).set(labels);
    const centroids = [this.centroids, this.clusters, this.separations, this.drifts];
    const ofRows = [this.labels, this.uppers, this.lowers];
    await matrix.pass(
      (rows) => matrix.runOn(rows, "assign", ROWS, rows.base, matrix.stride * 4, ...centroids, ...ofRows),
      async (chosen, rows) => {
        const bounds = [...centroids.slice(1), ...ofRows];
        const { sketches } = matrix;
        if (sketches?.isReady) {
          await sketches.of(this.centroids, this.clusters, this.centroidSketches);
          const known = [sketches.at, sketches.dims, this.centroidSketches];
          await matrix.runOn(rows, "tighten", 256, ...known, ...bounds);
        }
        await matrix.runOn(rows, "chooseUndecided", 1024, ...bounds, chosen);
      },
    );
    return matrix.ints(this.labels, matrix.rows).slice();
  }

  /** Gives every cluster without rows the row that is farthest from its own mean, the first of equals. */
  async refill(labels: Int32Array): Promise<Int32Array> {
    const sizes = clusterSizes(labels, this.clusters);
    if (!sizes.includes(0)) return labels;
    const squares = await this.squaredDistances(labels);
    const uppers = this.matrix.doubles(this.uppers, this.matrix.rows);
    const filled = labels.slice();
    for (let b = sizes.indexOf(0); b >= 0; b = sizes.indexOf(0)) {
      let farthest = -1;
      for (let i = 0; i < filled.length; i++) {
        if (sizes[filled[i]] > 1 && (farthest < 0 || squares[i] > squares[farthest])) farthest = i;
      }
      sizes[filled[farthest]] -= 1;
      sizes[b] = 1;
      filled[farthest] = b;
      uppers[farthest] = Infinity; // nothing is known about its distance from the new centroid
    }
    return filled;
  }

  /** Squared distance of every row from the mean of its cluster, in float64. */
  async squaredDistances(labels: Int32Array): Promise<Float64Array> {
    const { matrix } = this;
    matrix.ints(this.labels, matrix.rows).set(labels);
    const rest = [matrix.stride, this.means, this.labels, this.squares];
    await matrix.pass((rows) => matrix.runOn(rows, "deviations32", ROWS, rows.base, ...rest));
    return matrix.doubles(this.squares, matrix.rows).slice();
  }

  /** The means, clusters x columns. */
  centres(): Float64Array {
    const { columns, stride } = this.matrix;
    const means = this.matrix.doubles(this.means, this.clusters * stride);
    const centres = new Float64Array(this.clusters * columns);
    for (let b = 0; b < this.clusters; b++) {
      centres.set(means.subarray(b * stride, b * stride + columns), b * columns);
    }
    return centres;
  }

  private async recentre(sizes: Int32Array): Promise<void> {
    const { matrix, clusters } = this;
    [this.centroids, this.previous] = [this.previous, this.centroids];
    matrix.ints(this.sizes, clusters).set(sizes);
    const centroids = [this.means, this.centroids, this.previous, this.drifts];
    await matrix.run("recentre", clusters, 1, this.sums, this.sizes, matrix.stride, ...centroids);
    const separations = matrix.doubles(this.separations, clusters * clusters).fill(0);
    const tiles = Math.ceil(clusters / 16);
    await matrix.run("pairwise", tiles, 1, this.centroids, clusters, matrix.stride * 4, this.separations, 0);
    for (let a = 0; a < clusters; a++) {
      for (let b = 0; b < a; b++) separations[a * clusters + b] = separations[b * clusters + a];
    }
  }
}

/** Number of rows of every cluster. */
export function clusterSizes(labels: Int32Array, clusters: number): Int32Array {
  const sizes = new Int32Array(clusters);
  for (const label of labels) sizes[label] += 1;
  return sizes;
}
