import type { RunOptions } from "../../../federation/run-options.js";
import { trainingWords } from "../../../federation/strategies/strategy-words.js";
import { splitWords } from "../../../partition/split-words.js";
import { recordedTask } from "../../../records/recorded-task.js";
import type { Settings } from "../../../records/settings.js";
import type { PlannedRun } from "../../../studies/plan.js";
import { readStudies } from "../../../studies/read-studies.js";
import { trainedRuns } from "../../../studies/trained-runs.js";
import type { FollowedRun } from "../../study/study-events.js";

/** The runs of a folder with what the page is not told of them. */
export interface Followed {
  /** What cannot be read, a line each. */
  readonly problems: readonly string[];
  readonly titles: readonly string[];
  readonly runs: readonly (FollowedRun & {
    /** As its study plans it; undefined for a run of `train`. */
    readonly planned?: PlannedRun;
    /** Settings that tell it from others of its folder beside its own. */
    readonly told: Settings;
  })[];
}

/** The runs that the studies of a folder ask for, each once, or the runs of `train` that lie in it. */
export async function followedRuns(folder: string): Promise<Followed> {
  const studies = await readStudies(folder);
  if (studies.length === 0) return ofTrain(folder);
  const runs = new Map<string, Followed["runs"][number]>();
  for (const { specification, runs: planned } of studies)
    for (const run of planned) {
      const { id, reference, options } = run;
      if (runs.has(id)) continue;
      runs.set(id, {
        id,
        study: specification.name,
        ...described(options),
        reference,
        referenceAlpha: specification.reference,
        planned: run,
        told: {},
      });
    }
  return {
    problems: [],
    titles: studies.map(({ specification }) => specification.title ?? specification.name),
    runs: [...runs.values()],
  };
}

function described(
  options: RunOptions,
): Pick<FollowedRun, "task" | "alpha" | "split" | "training" | "seed" | "rounds"> {
  const { alpha, seed, rounds } = options;
  return {
    ...{ task: recordedTask(options), alpha, split: splitWords(options) },
    ...{ training: trainingWords(options).join(", "), seed, rounds },
  };
}

async function ofTrain(folder: string): Promise<Followed> {
  const problems: string[] = [];
  const found = await trainedRuns(folder, (problem) => problems.push(problem));
  const runs = found.map(({ record, reference, referenceAlpha, told }) => {
    const { id, options, partition } = record;
    const { alpha, seed, rounds, strategy } = options;
    return {
      id,
      study: "train",
      ...{ task: recordedTask(options), alpha, split: partition.split ?? `alpha ${alpha}` },
      training: strategy?.name ?? "",
      ...{ seed, rounds, reference: reference?.id ?? null },
      referenceAlpha: Number.isNaN(referenceAlpha) ? null : referenceAlpha,
      told,
    };
  });
  return { problems, titles: [], runs };
}
