import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that take long and guard what other tests cover in small: `npm run check` and CI run them, `npm test` does not. */
export const SLOW = [
  "test/engine/cuda/emulation.test.ts", // kernels compiled by a C++ compiler, thread by thread
  "test/package.test.ts", // npm pack, all commands of the README, all pages of results
  "test/documents/library.test.ts", // each example in a process of its own
  "test/fuzz/**/*.test.ts",
  "test/cli/study.test.ts", // studies that are killed, stopped and continued
  "test/cli/replicas.test.ts",
  "test/cli/data-to-train-on.test.ts",
  "test/cli/hostile-input.test.ts",
  "test/cli/bad-input.test.ts", // a process for each of many mistakes
  "test/cli/refused-files.test.ts",
  "test/cli/report.test.ts",
  "test/cli/workflow.test.ts", // generate, partition, export and diagnose from end to end
  "test/cli/first-hour.test.ts",
  "test/cli/import.test.ts",
  "test/cli/theory.test.ts",
  "test/cli/own-data.test.ts", // files of four kinds, from training to report
  "test/documents/extending.test.ts", // builds the program with a new source, model and option
  "test/cli/partitioners.test.ts", // every split, from the file to the report
  "test/cli/strategies.test.ts", // runs and a study of several strategies
  "test/cli/representations.test.ts", // every representation, from the file to a study
  "test/cli/train.test.ts",
  "test/cli/compare.test.ts",
  "test/cli/sites.test.ts", // a process for each of many mistakes
  "test/documents/sites.test.ts", // generates the data of three sites
  "test/cli/any-file.test.ts", // formats and layouts, from the file to the report
  "test/cli/public-files.test.ts", // files of benchmarks by their real arrays, from inspect to train
  "test/cli/file-kinds.test.ts",
  "test/cli/memory.test.ts",
  "test/partition/beyond-memory.test.ts", // bins for many sizes of memory
  "test/federation/samples/training-from-disk.test.ts",
  "test/tracking/mlflow-server.test.ts", // starts a real server, where Python has it
  "test/cli/track.test.ts",
  "test/examples/flower.test.ts", // a simulation, where Python has Flower
  "test/federation/strategies/resumed-states.test.ts", // every strategy, killed and resumed
  "test/federation/strategies/wide-strategies.test.ts", // by the plans of the CUDA compiler
  "test/studies/resumed-strategies.test.ts",
  "test/slurm/submit.test.ts", // a cluster of our own, where Slurm is installed
  "test/cli/study-parts.test.ts",
  "test/cli/submit.test.ts",
  "test/federation/strategies/federation-torch.test.ts", // every strategy in PyTorch, where Python has it
  "test/datasets/generate-threads.test.ts",
  "test/cli/cache.test.ts",
  "test/cli/chosen-samples.test.ts",
  "test/examples/navier-stokes.test.ts", // whole simulations
  "test/files/python-arrays.test.ts", // random files of four Python libraries, where Python is
  "test/federation/field-operators.test.ts", // whole models beside the float64 reference
  "test/federation/field-replicas.test.ts",
  "test/studies/replicas-parts.test.ts",
  "test/paper/theory/training-predictions.test.ts",
  ...["clients", "data", "data-files", "solutions", "studies", "training", "whole"].map(
    (name) => `test/studio/${name}.test.ts`, // the page in Chromium
  ),
  "test/cli/studio.test.ts",
  "test/cli/data-of-a-partition.test.ts",
  "test/cli/array-axes.test.ts",
  "test/cli/chosen-arrays.test.ts", // exports and figures of slices from files of several kinds
  "test/cli/convert.test.ts",
  "test/studies/replicas-runner.test.ts",
  "test/cli/suggestion.test.ts",
  "test/figures/record-figures.test.ts", // every figure of many kinds of studies
  "test/models/inversion-net.test.ts",
  "test/analysis/report-page.test.ts",
  "test/paper/theory/theory-problem.test.ts",
  "test/federation/product-epilogues.test.ts",
  "test/engine/cuda/plan/epilogues.test.ts",
  "test/engine/cuda/plan/backward-layers.test.ts",
  "test/engine/cuda/plan/plan.test.ts", // hundreds of random programs; other files test each pass
];

/** By far the longest files begin first, so that no core waits for them in the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => /\/(emulation|submit)\.test\.ts$/.test(moduleId);
    const others = await super.sort(files.filter((file) => !isLongest(file)));
    return [...files.filter(isLongest), ...others];
  }
}

export default defineConfig({
  test: {
    include: SLOW,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: Math.ceil(1.5 * availableParallelism()), // many of these wait for processes of their own
    sequence: { sequencer: LongestFirst },
  },
});
