import { basename } from "node:path";
import { openData } from "../datasets/open.js";
import { threadsFor } from "../datasets/threads-for.js";
import { inputSpace } from "../diagnostics/input-distance.js";
import { binsSha256, type Provenance } from "../exchange/partition-file.js";
import { applyBins, binCost, fitBins, type SolutionBins } from "../partition/bins.js";
import { applyNormalisation, normaliseResponses } from "../partition/normalise.js";
import { checkOptions, partitionBins } from "../partition/partition.js";
import { type MeasuredPartition, measurePartition } from "../protocol/partition-dataset.js";
import { findAlpha, type TargetSearch } from "../protocol/target-distance.js";
import { tellReading } from "./array-reading.js";
import type { PartitionCommandOptions } from "./partition.js";
import { readBins } from "./partition-bins.js";
import { startProgress } from "./progress.js";

export interface PartitionResult {
  readonly measured: MeasuredPartition;
  /** Where a target distance was asked for. */
  readonly search?: TargetSearch;
}

/** Makes and measures the partitions of all runs; bins are fitted once a seed and shared by its alphas. */
export async function partitionAll(
  path: string,
  runs: readonly { readonly seed: number; readonly alpha?: number }[],
  options: PartitionCommandOptions,
): Promise<{
  readonly results: readonly PartitionResult[];
  readonly provenance: (measured: MeasuredPartition) => Omit<Provenance, "version" | "arrays">;
  /** How the arrays were read. */
  readonly reading: string;
}> {
  const { clients, minSize, repair, targetDistance, inputSamples, quiet } = options;
  const reused = options.binsFrom === undefined ? undefined : await readBins(options.binsFrom);
  const model = reused?.model;
  const data = await openData(path, options, reused?.file?.data);
  tellReading(data, options);
  try {
    for (const { seed, alpha = 1 } of runs)
      checkOptions(data.responses.samples, { clients, alpha, seed, minSize });

    const reading = startProgress("Reading and normalising responses", { quiet });
    const threads = threadsFor(data.responses);
    const onProgress = (fraction: number) => reading.update(fraction, 1);
    const hashed = data.hashedResponses();
    const normalised = model
      ? await applyNormalisation(hashed.fields, model, { threads, onProgress })
      : await normaliseResponses(hashed.fields, { threads, onProgress });
    const dataSha256 = hashed.sha256();
    const inputs = data.inputs && (await inputSpace(data.inputs, { threads }));
    reading.finish(`${data.responses.samples} of ${data.responses.shape.join(" x ") || "1"} values`);

    const results: PartitionResult[] = [];
    const hashes = new Map<SolutionBins, string>();
    let bins: SolutionBins | undefined;
    let binsSeed: number | undefined;
    for (const { seed, alpha } of runs) {
      if (!bins || (!model && binsSeed !== seed)) {
        const fitting = startProgress(model ? "Assigning to bins" : `Fitting bins, seed ${seed}`, { quiet });
        bins = model
          ? await applyBins(normalised, model)
          : await fitBins(normalised, { bins: options.bins, seed });
        binsSeed = seed;
        hashes.set(bins, await binsSha256(bins));
        fitting.finish(
          model ? `${bins.bins} bins reused` : `${bins.bins} bins after ${bins.iterations} iterations`,
        );
      }
      const measuring = startProgress(
        `Partitioning, seed ${seed}${alpha === undefined ? "" : `, alpha ${alpha}`}`,
        { quiet },
      );
      const base = { clients, bins: bins.bins, seed, minSize, repair };
      const search =
        targetDistance === undefined
          ? undefined
          : findAlpha(bins.binOfSample, binCost(bins), {
              ...base,
              target: targetDistance,
              onProgress: (done, total) => measuring.update(done, total),
            });
      const partition = partitionBins(bins.binOfSample, { ...base, alpha: alpha ?? search!.alpha });
      const measured = await measurePartition(partition, bins, inputs, { inputSamples });
      measuring.finish(`D_sol = ${measured.diagnostics.metrics.d_sol.toFixed(3)}`);
      results.push({ measured, search });
    }
    await normalised.matrix.close();
    const provenance = (measured: MeasuredPartition) => ({
      data: data.name,
      responses: data.responsesName,
      inputs: data.inputsName,
      axes: data.axes,
      dataSha256,
      binsSha256: hashes.get(measured.bins)!,
      binsOrigin: reused
        ? { seed: reused.seed, from: basename(options.binsFrom!) }
        : { seed: measured.partition.seed },
    });
    return { results, provenance, reading: data.reading };
  } finally {
    await data.close();
  }
}
