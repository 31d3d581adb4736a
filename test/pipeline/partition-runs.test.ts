import { describe, expect, it } from "vitest";
import { type Fields, fieldsInMemory } from "../../src/datasets/fields.js";
import { diagnose } from "../../src/diagnostics/diagnose.js";
import { OptionError } from "../../src/errors.js";
import { nodeThreads } from "../../src/numerics/kernels/node-threads.js";
import { PARTITIONER_NAMES } from "../../src/partition/partitioners.js";
import { binData } from "../../src/pipeline/binned-data.js";
import { diagnosticsInput } from "../../src/pipeline/measured-partition.js";
import { partitionDataset } from "../../src/pipeline/partition-dataset.js";
import { partitionRuns } from "../../src/pipeline/partition-runs.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";
import { everyPartitioner } from "./every-partitioner.js";

const SAMPLES = 90;
const OPTIONS = { clients: 4, minSize: 5, bins: 5 } as const;

function noise(name: string, size: number): Fields {
  const random = stream(3, name);
  return fieldsInMemory(
    Float64Array.from({ length: SAMPLES * size }, () => normal(random)),
    SAMPLES,
    [size],
  );
}

/** Counts how often every sample is read. */
function counted(fields: Fields): Fields & { readonly rows: () => number } {
  let rows = 0;
  return {
    ...fields,
    read: (start, end) => {
      rows += end - start;
      return fields.read(start, end);
    },
    rows: () => rows,
  };
}

describe("partitions of several seeds and alphas", () => {
  const runs = [0, 1].flatMap((seed) => [0.1, 10].map((alpha) => ({ seed, alpha })));

  it("are those of one call each, with the bins of a seed fitted once and responses normalised once", async () => {
    const responses = counted(noise("responses", 6));
    const inputs = noise("inputs", 3);
    const all = await partitionRuns({ responses, inputs }, runs, OPTIONS);
    const together = responses.rows();
    await binData({ responses });
    expect(responses.rows() - together).toBe(together);
    expect(all[0].measured.bins).toBe(all[1].measured.bins);
    expect(all[2].measured.bins).not.toBe(all[1].measured.bins);
    for (const [i, run] of runs.entries()) {
      const alone = await partitionDataset({ responses, inputs }, { ...OPTIONS, ...run });
      expect(all[i].measured.partition).toEqual(alone.partition);
      expect(all[i].measured.diagnostics).toEqual(alone.diagnostics);
      expect(alone.diagnostics.metrics.input_w1).toBeGreaterThan(0);
    }
  });

  it("have clusters of inputs of their own seed, also with the bins of a model", async () => {
    const data = { responses: noise("responses", 6), inputs: noise("inputs", 3) };
    const { bins: model } = await binData(data, { bins: 5, seed: 7 });
    const options = { ...OPTIONS, model, partitioner: { name: "input-bins", input_bins: 4 } };
    const of = async (...seeds: number[]) =>
      (
        await partitionRuns(
          data,
          seeds.map((seed) => ({ seed, alpha: 0.1 })),
          options,
        )
      ).map(({ measured }) => measured);
    const together = await of(1, 2, 1);
    for (const [i, seed] of [1, 2, 1].entries()) {
      const [alone] = await of(seed);
      expect(together[i].known).toEqual(alone.known);
      expect(together[i].partition).toEqual(alone.partition);
    }
    expect(together[0].known).not.toEqual(together[1].known);
  });

  it("reuse the bins of a model for every seed", async () => {
    const responses = noise("responses", 6);
    const { bins: model } = await binData({ responses }, { bins: 5, seed: 7 });
    const all = await partitionRuns({ responses }, runs, { ...OPTIONS, model });
    expect(new Set(all.map(({ measured }) => measured.bins)).size).toBe(1);
    expect(all[3].measured.bins.binOfSample).toEqual(model.binOfSample);
  });

  it("find the alpha of a target distance, and tell their steps", async () => {
    const steps: string[] = [];
    const startStep = (name: string) => ({
      update: () => {},
      finish: (summary: string) => steps.push(`${name}: ${summary}`),
    });
    const [found] = await partitionRuns({ responses: noise("responses", 6) }, [{ seed: 1 }], {
      ...OPTIONS,
      targetDistance: 1,
      startStep,
    });
    expect(found.measured.partition.alpha).toBe(found.search!.alpha);
    expect(found.measured.diagnostics.metrics.d_sol).toBe(found.search!.distance);
    expect(steps).toEqual([
      "Reading and normalising responses: 90 responses of 6 values",
      expect.stringMatching(/^Fitting bins, seed 1: 5 bins after \d+ iterations$/),
      expect.stringMatching(/^Partitioning, seed 1: D_sol = /),
    ]);
  });

  it("are refused before any sample is read", async () => {
    const responses = counted(noise("responses", 6));
    const tooLarge = partitionRuns({ responses }, runs, { ...OPTIONS, minSize: 40 });
    await expect(tooLarge).rejects.toThrow(OptionError);
    expect(responses.rows()).toBe(0);
  });
});

describe("an assignment that somebody else made", () => {
  it("is diagnosed like one of ours, except for what was drawn", async () => {
    const data = { responses: noise("responses", 6), inputs: noise("inputs", 3) };
    const ours = await partitionDataset(data, { ...OPTIONS, alpha: 0.3, seed: 2 });
    const binned = await binData(data, { bins: 5, seed: 2 });
    const { clients, bins, clientOfSample, binOfSample } = ours.partition;
    const theirs = diagnose(
      await diagnosticsInput({ clients, bins, clientOfSample, binOfSample }, binned, { seed: 2 }),
    ).metrics;
    const { metrics } = ours.diagnostics;
    expect(theirs).toMatchObject({ d_sol: metrics.d_sol, cv_n: metrics.cv_n, input_w1: metrics.input_w1 });
    expect(theirs).toMatchObject({ eps_part: null, h_u: null, h_u_expected: null, repairs: null });
    expect(metrics.h_u_expected).toBeGreaterThan(0);
  });
});

describe("a partition by any partitioner", () => {
  it("does not depend on the number of threads", async () => {
    const grouped = [false];
    const alone = await everyPartitioner({ grouped });
    const shared = await everyPartitioner({ grouped, threads: nodeThreads(2) });
    expect(new Set([...alone.values()].map(({ partition }) => partition.partitioner.name))).toEqual(
      new Set(PARTITIONER_NAMES),
    );
    expect(shared).toEqual(alone);
  });
});
