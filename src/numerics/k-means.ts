import { OptionError } from "../errors.js";
import { kMeansPlusPlus, type Uniforms } from "./k-means-plus-plus.js";
import { clusterSizes, Lloyd } from "./lloyd.js";
import type { RowMatrix } from "./row-matrix.js";

export interface KMeansOptions {
  readonly clusters: number;
  readonly random: Uniforms;
  /** Most Lloyd iterations; 300 unless given. */
  readonly maxIterations?: number;
  /** Called after every iteration with its number and how many rows changed their cluster in it. */
  readonly onIteration?: (iteration: number, moved: number) => void;
}

/** Which centroid every row belongs to. */
export interface Labelling {
  readonly labels: Int32Array;
  /** Euclidean distance of every row from its centroid, in float64. */
  readonly distances: Float64Array;
}

export interface Clustering extends Labelling {
  /** Means of the clusters, clusters x columns. */
  readonly centroids: Float64Array;
  /** Rows of every cluster, never zero. */
  readonly counts: Int32Array;
  readonly iterations: number;
  /** Whether the labels had come to rest within `maxIterations`. */
  readonly converged: boolean;
  /** Sum of the squared distances (eq:kmeans). */
  readonly inertia: number;
}

/**
 * Clusters of rows by k-means++ and Lloyd iterations until no label changes (eq:kmeans). The same bits on
 * every machine and for any number of threads. Rows are compared with centroids rounded to float32; a row
 * equally near to two takes the one that was seeded first. A cluster that loses all its rows takes over the
 * row that is farthest from its own centroid. Clusters come in the order of their size, largest first, and
 * equal ones in the order of their first rows, so that two seeds that find the same clusters also number them
 * alike.
 */
export async function kMeans(matrix: RowMatrix, options: KMeansOptions): Promise<Clustering> {
  const { clusters, random, maxIterations = 300, onIteration } = options;
  if (!Number.isInteger(clusters) || clusters < 1) {
    throw new OptionError(`the number of bins is a whole number from 1 on, not ${clusters}`);
  }
  matrix.makeRoom(Lloyd.workingMemory(matrix, clusters)); // before sketches are made, which it would discard
  const seeds = await kMeansPlusPlus(matrix, clusters, random);
  const lloyd = new Lloyd(matrix, clusters);
  try {
    let labels = seeds.nearest;
    let moved = await lloyd.update(labels);
    let iterations = 0;
    while (moved > 0 && iterations < maxIterations) {
      labels = await lloyd.refill(await lloyd.nearest(labels));
      moved = await lloyd.update(labels);
      iterations += 1;
      onIteration?.(iterations, moved);
    }
    labels = orderBySize(labels, clusters);
    await lloyd.restart(labels);
    const squares = await lloyd.squaredDistances(labels);
    return {
      labels,
      distances: squares.map(Math.sqrt),
      centroids: lloyd.centres(),
      counts: clusterSizes(labels, clusters),
      iterations,
      converged: moved === 0,
      inertia: squares.reduce((sum, square) => sum + square, 0),
    };
  } finally {
    lloyd.release();
  }
}

/** The nearest of given centroids (clusters x columns, rounded to float32), the first among equals. */
export async function assignToCentroids(matrix: RowMatrix, centroids: Float64Array): Promise<Labelling> {
  const clusters = clustersIn(centroids, matrix.columns);
  const lloyd = new Lloyd(matrix, clusters);
  try {
    await lloyd.place(centroids);
    const labels = await lloyd.nearest(new Int32Array(matrix.rows));
    const squares = await lloyd.squaredDistances(labels);
    return { labels, distances: squares.map(Math.sqrt) };
  } finally {
    lloyd.release();
  }
}

/** How far every row lies from the centroid of its cluster, and from the nearest of the others. */
export interface NearestTwo extends Labelling {
  /** The other centroid that is nearest, the first among equals; -1 where there is one cluster alone. */
  readonly others: Int32Array;
  /** Euclidean distance from it; infinite where there is none. */
  readonly otherDistances: Float64Array;
}

/** Rows whose distances from all centroids are kept at a time. */
const ROWS_AT_ONCE = 1024;

/**
 * Distances from the own centroid and from the nearest other one, in one pass. Clusters are the given ones, or those of
 * the nearest centroids. Centroids are rounded to float32, as {@link kMeans} compares them.
 */
export async function nearestTwo(
  matrix: RowMatrix,
  centroids: Float64Array,
  given?: Int32Array,
): Promise<NearestTwo> {
  const { rows, columns, stride } = matrix;
  const clusters = clustersIn(centroids, columns);
  const [labels, others] = [given?.slice() ?? new Int32Array(rows), new Int32Array(rows).fill(-1)];
  const [distances, otherDistances] = [new Float64Array(rows), new Float64Array(rows).fill(Infinity)];
  const [places, ofRows, ofCentroids, squares] = matrix.allocateAll([
    clusters * stride * 4,
    ROWS_AT_ONCE * 4,
    clusters * 4,
    ROWS_AT_ONCE * clusters * 8,
  ]);
  try {
    matrix.put(places, 32, Float32Array.from(centroids));
    const addresses = matrix.ints(ofCentroids, clusters);
    for (let b = 0; b < clusters; b++) addresses[b] = places + b * stride * 4;
    await matrix.pass(async ({ base, from, to }) => {
      for (let start = from; start < to; start += ROWS_AT_ONCE) {
        const count = Math.min(ROWS_AT_ONCE, to - start);
        const at = matrix.ints(ofRows, count);
        for (let i = 0; i < count; i++) at[i] = base + (start + i) * stride * 4;
        const rest = [stride * 4, ofRows, ofCentroids, clusters, squares, clusters];
        await matrix.run("squaresBetween", count, 32, ...rest);
        const found = matrix.doubles(squares, count * clusters);
        for (let i = 0; i < count; i++) {
          const row = found.subarray(i * clusters, (i + 1) * clusters);
          const own = given ? given[start + i] : smallestBut(row, -1);
          const other = smallestBut(row, own);
          labels[start + i] = own;
          distances[start + i] = Math.sqrt(row[own]);
          if (other < 0) continue;
          others[start + i] = other;
          otherDistances[start + i] = Math.sqrt(row[other]);
        }
      }
    });
  } finally {
    matrix.release(places);
  }
  return { labels, distances, others, otherDistances };
}

/** The place of the smallest value, the first among equals, except for one place; -1 if there is no other. */
function smallestBut(values: Float64Array, except: number): number {
  let best = -1;
  for (let i = 0; i < values.length; i++)
    if (i !== except && (best < 0 || values[i] < values[best])) best = i;
  return best;
}

function clustersIn(centroids: Float64Array, columns: number): number {
  const clusters = centroids.length / columns;
  if (!Number.isInteger(clusters) || clusters < 1)
    throw new OptionError(`${centroids.length} numbers are no centroids of ${columns} columns`);
  return clusters;
}

/** Clusters numbered anew: the largest first, equal ones in the order of their first rows. */
function orderBySize(labels: Int32Array, clusters: number): Int32Array {
  const counts = clusterSizes(labels, clusters);
  const first = new Int32Array(clusters);
  for (let i = labels.length - 1; i >= 0; i--) first[labels[i]] = i;
  const order = Array.from(counts.keys()).sort((a, b) => counts[b] - counts[a] || first[a] - first[b]);
  const place = new Int32Array(clusters);
  order.forEach((cluster, index) => {
    place[cluster] = index;
  });
  return labels.map((label) => place[label]);
}
