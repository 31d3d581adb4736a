import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clustersOf } from "../../../src/federation/participation/client-clusters.js";

/** Average linkage by its definition: means over all pairs of members, computed anew for every pair of clusters. */
function plainClusters(distances: Float64Array, clients: number, wanted: number): number[][] {
  let clusters = Array.from({ length: clients }, (_, client) => [client]);
  while (clusters.length > wanted) {
    let [closest, least] = [[0, 1], Infinity];
    for (const [i, a] of clusters.entries())
      for (const [j, b] of clusters.entries()) {
        if (j <= i) continue;
        const pairs = a.flatMap((one) => b.map((other) => distances[one * clients + other]));
        const mean = pairs.reduce((sum, distance) => sum + distance, 0) / pairs.length;
        if (mean < least) [closest, least] = [[i, j], mean];
      }
    const joined = closest.flatMap((i) => clusters[i]).sort((a, b) => a - b);
    clusters = [...clusters.filter((_, i) => !closest.includes(i)), joined].sort((a, b) => a[0] - b[0]);
  }
  return clusters;
}

/** The same by sums that are kept, every pair of clusters compared before every union: the bits that runs depend on. */
function slowClusters(distances: Float64Array, clients: number, wanted: number): number[][] {
  const clusters = Array.from({ length: clients }, (_, client) => [client]);
  let sums = clusters.map((_, a) => Array.from(clusters, (_, b) => distances[a * clients + b]));
  while (clusters.length > wanted) {
    let [first, second, least] = [0, 1, Infinity];
    for (let a = 0; a < clusters.length; a++)
      for (let b = a + 1; b < clusters.length; b++) {
        const mean = sums[a][b] / (clusters[a].length * clusters[b].length);
        if (mean < least) [first, second, least] = [a, b, mean];
      }
    clusters[first].push(...clusters[second]);
    clusters.splice(second, 1);
    for (const [i, row] of sums.entries()) {
      row[first] += row[second];
      sums[first][i] = row[first];
    }
    sums = sums.filter((_, a) => a !== second).map((row) => row.filter((_, b) => b !== second));
  }
  return clusters.map((members) => members.sort((a, b) => a - b));
}

/** Distances of which many are equal, or none a number, as between clients with the same few samples or without any. */
const tied = fc
  .record({
    clients: fc.integer({ min: 2, max: 24 }),
    values: fc.constantFrom(
      [1, 2],
      [0, 1, 2, 3],
      [0.1, 0.2, 0.3],
      [1, Number.NaN],
      [Number.NaN],
      [Infinity, 1],
    ),
  })
  .chain(({ clients, values }) =>
    fc
      .array(fc.constantFrom(...values), { minLength: clients ** 2, maxLength: clients ** 2 })
      .map((drawn) => ({ clients, distances: mirrored(drawn, clients) })),
  );

/** A symmetric matrix with these numbers above its diagonal, which is zero. */
const mirrored = (values: readonly number[], clients: number) =>
  Float64Array.from(values, (_, at) => {
    const [i, j] = [Math.floor(at / clients), at % clients];
    return i === j ? 0 : values[Math.min(i, j) * clients + Math.max(i, j)];
  });

const symmetric = fc.integer({ min: 2, max: 12 }).chain((clients) =>
  fc
    .array(fc.double({ min: 0.01, max: 1, noNaN: true }), {
      minLength: clients ** 2,
      maxLength: clients ** 2,
    })
    .map((values) => ({ clients, distances: mirrored(values, clients) })),
);
/** Distances whose sums are exact, so that clusters that tie do so however their means are computed. */
const exact = fc
  .integer({ min: 2, max: 12 })
  .chain((clients) =>
    fc
      .array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: clients ** 2, maxLength: clients ** 2 })
      .map((values) => ({ clients, distances: mirrored(values, clients) })),
  );
const onLine = (places: readonly number[]) =>
  Float64Array.from(places.flatMap((a) => places.map((b) => Math.abs(a - b))));

describe("clusters of clients", () => {
  it("are those of average linkage by its definition, for any distances and any number of clusters", () => {
    fc.assert(
      fc.property(exact, ({ clients, distances }) => {
        for (let wanted = 1; wanted <= clients; wanted++)
          expect(clustersOf(distances, clients, wanted)).toEqual(plainClusters(distances, clients, wanted));
      }),
    );
  });

  it.each([
    ["any distances", symmetric],
    ["distances of which many are equal", tied],
  ])("are to the last tie those of comparing all pairs before every union, for %s", (_, some) => {
    fc.assert(
      fc.property(some, fc.nat(), ({ clients, distances }, any) => {
        const wanted = 1 + (any % clients);
        expect(clustersOf(distances, clients, wanted)).toEqual(slowClusters(distances, clients, wanted));
      }),
      { numRuns: 500 },
    );
  });

  it("of a thousand clients take well under what comparing all pairs takes, some ten seconds", () => {
    const places = Float64Array.from({ length: 1000 }, (_, client) => (client * 0.618) % 1);
    const started = performance.now();
    expect(clustersOf(onLine([...places]), 1000, 10)).toHaveLength(10);
    expect(performance.now() - started).toBeLessThan(3000);
  });

  it("have every client once, ascending, and are nested as their number falls", () => {
    fc.assert(
      fc.property(symmetric, ({ clients, distances }) => {
        let finer = clustersOf(distances, clients, clients);
        for (let wanted = clients; wanted >= 1; wanted--) {
          const clusters = clustersOf(distances, clients, wanted);
          expect(clusters).toHaveLength(wanted);
          expect(clusters.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: clients }, (_, k) => k));
          for (const members of clusters) expect(members).toEqual([...members].sort((a, b) => a - b));
          for (const members of finer)
            expect(clusters.some((own) => members.every((client) => own.includes(client)))).toBe(true);
          finer = clusters;
        }
      }),
    );
  });

  it("of clients at 0, 10, 1, 11 and 5 on a line are the near ones first: 0 and 1, 10 and 11; then 5 joins 0 and 1", () => {
    // From 5 to 0 and 1 the mean is 4.5, to 10 and 11 it is 5.5.
    const distances = onLine([0, 10, 1, 11, 5]);
    expect(clustersOf(distances, 5, 4)).toEqual([[0, 2], [1], [3], [4]]);
    expect(clustersOf(distances, 5, 3)).toEqual([[0, 2], [1, 3], [4]]);
    expect(clustersOf(distances, 5, 2)).toEqual([
      [0, 2, 4],
      [1, 3],
    ]);
  });

  it("are joined by mean distances, and neither by the smallest nor by the largest ones", () => {
    // 0, 2, 4 have been joined; 7 is 3 from the nearest of them and 5 from their mean, 11.5 is 4.5 from 7.
    const distances = onLine([0, 2.01, 4, 7, 11.5]);
    expect(clustersOf(distances, 5, 2)).toEqual([
      [0, 1, 2],
      [3, 4],
    ]);
  });

  it("of clients that are all alike are made of the first ones", () => {
    const alike = new Float64Array(25).fill(1);
    expect(clustersOf(alike, 5, 3)).toEqual(plainClusters(alike, 5, 3));
  });

  it("leave the distances as they are", () => {
    const distances = onLine([0, 3, 1]);
    clustersOf(distances, 3, 1);
    expect(distances).toEqual(onLine([0, 3, 1]));
  });
});
