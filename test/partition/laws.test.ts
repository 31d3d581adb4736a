import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { countTable } from "../../src/partition/assignment.js";
import { drawPartition, type PartitionerData } from "../../src/partition/partition.js";
import type { PartitionerChoice } from "../../src/partition/partitioner.js";
import { takesAlpha } from "../../src/partition/partitioners.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const ROOT = join(import.meta.dirname, "../..");

const SIZES = [100, 80, 60, 40, 20];
const CLIENTS = 5;
const SEEDS = 300;
const ALPHA = 0.4;
/** FedLab's per-client draw does not end at small concentrations, where a client may want exhausted bins alone. */
const LARGE_ALPHA = 4;
const SIGMA = 0.7;
const SIZE_ALPHA = 5;
const labels = Int32Array.from(SIZES.flatMap((size, bin) => new Array<number>(size).fill(bin)));
const values = Float64Array.from(labels, (_, i) => ((i * 7919) % 300) / 300);

type Table = readonly (readonly number[])[];

/** What Flower, FedLab and NIID-Bench draw; undefined without Python, and without a tool where it is not installed. */
function drawnElsewhere(): Readonly<Record<string, readonly Table[]>> | undefined {
  const ran = spawnSync(PYTHON, ["scripts/partition-laws.py"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    input: JSON.stringify({
      ...{ labels: [...labels], values: [...values], clients: CLIENTS, seeds: SEEDS, alpha: ALPHA },
      ...{ large_alpha: LARGE_ALPHA, sigma: SIGMA, size_alpha: SIZE_ALPHA },
    }),
  });
  if (ran.status !== 0 || ran.stdout === "") return undefined;
  const found = JSON.parse(ran.stdout);
  return Object.keys(found).length > 0 ? found : undefined;
}

const theirs = drawnElsewhere();

function ours(
  partitioner: PartitionerChoice,
  more: Partial<PartitionerData> = {},
  seeds = SEEDS,
  concentration = ALPHA,
): Table[] {
  const alpha = takesAlpha(partitioner.name) ? concentration : null;
  return Array.from({ length: seeds }, (_, seed) =>
    countTable(
      drawPartition(
        { bins: SIZES.length, binOfSample: labels, ...more },
        { clients: CLIENTS, seed, minSize: 1, alpha, partitioner },
      ),
    ),
  );
}

const sum = (row: readonly number[]) => row.reduce((a, b) => a + b, 0);
const sizesOf = (table: Table) => table.map(sum);

/** Numbers of a table whose distributions are compared. */
const STATISTICS: Readonly<Record<string, (table: Table) => number>> = {
  "size of the largest client": (table) => Math.max(...sizesOf(table)),
  "size of the first client": (table) => sum(table[0]),
  "share of the first bin that the first client holds": (table) => table[0][0] / SIZES[0],
  "largest share of a bin in a client, on average": (table) =>
    sum(table.map((row) => (sum(row) > 0 ? Math.max(...row) / sum(row) : 0))) / table.length,
  "bins of a client, on average": (table) =>
    sum(table.map((row) => row.filter((n) => n > 0).length)) / table.length,
};

/** The two-sample statistic of Kolmogorov and Smirnov over its critical value for a false alarm in 10,000. */
function distance(a: readonly number[], b: readonly number[]): number {
  const all = [...new Set([...a, ...b])].sort((x, y) => x - y);
  const at = (list: readonly number[], x: number) => list.filter((value) => value <= x).length / list.length;
  const largest = Math.max(...all.map((x) => Math.abs(at(a, x) - at(b, x))));
  return largest / (Math.sqrt(-Math.log(1e-4 / 2) / 2) * Math.sqrt(1 / a.length + 1 / b.length));
}

function expectSameLaw(
  own: readonly Table[],
  other: readonly Table[],
  names = Object.keys(STATISTICS),
): void {
  for (const name of names) {
    const [mine, its] = [own, other].map((tables) => tables.map(STATISTICS[name]));
    expect([name, distance(mine, its) < 1]).toEqual([name, true]);
  }
}

describe.skipIf(!theirs)("the laws of other tools' partitioners", () => {
  const has = (name: string) => theirs?.[name] !== undefined;

  it.runIf(has("iid"))("iid, natural and given sizes are Flower's", () => {
    expect(sizesOf(ours({ name: "iid" }, {}, 1)[0])).toEqual(sizesOf(theirs!.iid[0]));
    const [natural] = ours({ name: "by", by: "label" }, { attribute: Float64Array.from(labels) }, 1);
    expect(natural).toEqual(theirs!.natural[0]);
    for (const law of ["linear", "square", "exponential"]) {
      // Flower gives what is left by rounding to the last client, we to the largest remainders.
      const [own, other] = [ours({ name: "sizes", sizes: law }, {}, 1), theirs![law]].map(([table]) =>
        sizesOf(table),
      );
      own.forEach((size, client) => {
        expect(Math.abs(size - other[client])).toBeLessThanOrEqual(CLIENTS);
      });
    }
  });

  it.runIf(has("dirichlet"))("dirichlet is Flower's, without balancing", () => {
    expectSameLaw(
      ours({ name: "dirichlet" }),
      theirs!.dirichlet,
      Object.keys(STATISTICS).filter((name) => !name.startsWith("bins of")), // ours draws counts, Flower rounds shares
    );
  });

  for (const [name, alpha] of [
    ["inner_dirichlet", ALPHA],
    ["fedlab_inner", LARGE_ALPHA],
  ] as const)
    it.runIf(has(name))(`client-dirichlet with a uniform base is that of ${name}`, () => {
      const own = ours({ name: "client-dirichlet", base: "uniform" }, {}, SEEDS, alpha);
      for (const table of own) expect(sizesOf(table)).toEqual([60, 60, 60, 60, 60]);
      expectSameLaw(own, theirs![name]);
    });

  it.runIf(has("pathological"))("pathological clients hold as many bins as Flower's", () => {
    for (const table of [...ours({ name: "pathological" }, {}, 5), ...theirs!.pathological])
      for (const row of table) expect(row.filter((count) => count > 0)).toHaveLength(2);
  });

  it.runIf(has("shards"))("shards are Flower's", () => {
    expectSameLaw(ours({ name: "shards", shards: 2 }), theirs!.shards, [
      "size of the largest client",
      "largest share of a bin in a client, on average",
      "bins of a client, on average",
    ]);
  });

  it.runIf(has("continuous_0.3"))("ranges with a strictness are Flower's", () => {
    for (const strictness of [0.3, 0.7]) {
      const spreads = Array.from({ length: SEEDS }, (_, seed) => {
        const { clientOfSample } = drawPartition(
          { bins: SIZES.length, binOfSample: labels, attribute: values },
          { clients: CLIENTS, seed, partitioner: { name: "by", by: "value", ranges: true, strictness } },
        );
        return meanDeviation(clientOfSample);
      });
      const other = theirs![`continuous_${strictness}`] as unknown as readonly number[];
      expect([strictness, distance(spreads, other) < 1]).toEqual([strictness, true]);
    }
  });

  it.runIf(has("niid_quantity"))(
    "NIID-Bench's label and quantity skews are dirichlet and Dirichlet sizes",
    () => {
      const drawn = Object.keys(STATISTICS).filter((name) => !name.startsWith("bins of")); // it rounds shares
      expectSameLaw(ours({ name: "dirichlet" }), theirs!.niid_label_dirichlet, drawn);
      const sizes = theirs!.niid_quantity as unknown as readonly (readonly number[])[];
      const own = ours({ name: "sizes", sizes: "dirichlet", size_alpha: SIZE_ALPHA }).map(sizesOf);
      for (const of of [(row: readonly number[]) => Math.max(...row), ([first]: readonly number[]) => first])
        expect(distance(own.map(of), sizes.map(of))).toBeLessThan(1);
    },
  );

  it.runIf(has("niid_label_count"))(
    "NIID-Bench's #label-2 clients hold two equal shares of bins, as pathological ones",
    () => {
      for (const table of [...ours({ name: "pathological" }), ...theirs!.niid_label_count]) {
        for (const row of table) expect(row.filter((count) => count > 0)).toHaveLength(2);
        SIZES.forEach((size, bin) => {
          const shares = table.map((row) => row[bin]).filter((count) => count > 0);
          for (const share of shares) expect(Math.abs(share - size / shares.length)).toBeLessThan(1);
        });
      }
      // NIID-Bench draws how many clients share a bin; ours spreads them evenly.
      const takers = (table: Table) => SIZES.map((_, bin) => table.filter((row) => row[bin] > 0).length);
      const mean = (tables: readonly Table[]) => sum(tables.map((table) => takers(table)[0])) / tables.length;
      for (const table of ours({ name: "pathological" })) expect(takers(table)).toEqual([2, 2, 2, 2, 2]);
      expect(mean(theirs!.niid_label_count)).toBeCloseTo(2, 0);
    },
  );

  it.runIf(has("lognormal_sizes"))("lognormal and Dirichlet sizes are FedLab's", () => {
    const largest = (rows: readonly (readonly number[])[]) => rows.map((row) => Math.max(...row) / sum(row));
    const own = (law: string) =>
      ours({ name: "sizes", sizes: law, sigma: SIGMA, size_alpha: SIZE_ALPHA }).map(sizesOf);
    const sizes = theirs as unknown as Readonly<Record<string, readonly (readonly number[])[]>>;
    expect(distance(largest(own("lognormal")), largest(sizes.lognormal_sizes))).toBeLessThan(1);
    expect(distance(largest(own("dirichlet")), largest(sizes.dirichlet_sizes))).toBeLessThan(1);
  });
});

/** Mean over clients of the standard deviation of their values. */
function meanDeviation(clientOfSample: Int32Array): number {
  const deviations = Array.from({ length: CLIENTS }, (_, client) => {
    const own = values.filter((_, i) => clientOfSample[i] === client);
    const mean = own.reduce((a, b) => a + b, 0) / own.length;
    return Math.sqrt(own.reduce((total, value) => total + (value - mean) ** 2, 0) / own.length);
  });
  return sum(deviations) / CLIENTS;
}
