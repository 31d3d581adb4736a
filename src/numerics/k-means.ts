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
  const clusters = centroids.length / matrix.columns;
  if (!Number.isInteger(clusters) || clusters < 1) {
    throw new OptionError(`${centroids.length} numbers are no centroids of ${matrix.columns} columns`);
  }
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
