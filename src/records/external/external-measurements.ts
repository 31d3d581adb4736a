import { FormatError } from "../../errors.js";
import type { MeasuredRun } from "../seed-record.js";
import { checkpointParameters, gradientMetric } from "./external-arrays.js";
import type { ExternalRun } from "./external-run.js";

/** A run as the seed-level table joins it. */
export interface MeasuredExternalRun {
  readonly measured: MeasuredRun;
  /** Names and shapes of the arrays of its parameters; undefined if it has none that can be used. */
  readonly layout: string | undefined;
  /** What is wrong with its arrays, a line each. What follows from them is then NaN. */
  readonly problems: readonly string[];
}

/** What a table names in place of a study, unless the run says otherwise. */
const STUDY = "elsewhere";

/** Reads the arrays of a run. What neither the run nor its partition says is NaN. */
export async function measuredExternalRun(run: ExternalRun): Promise<MeasuredExternalRun> {
  const { id, study, task, title, settings, alpha, split, seed, partition, communication } = run;
  const metric = (name: string) => partition?.metrics[name] ?? sizeMetrics(run.sizes)[name] ?? NaN;
  const { layout, gradients, parameters, problems } = await arraysOf(run);
  const common = {
    study: study ?? STUDY,
    task,
    ...(title !== undefined && { title }),
    settings,
    overrides: [],
    alpha: alpha ?? NaN,
    split,
    seed,
    d_sol: metric("d_sol"),
    input_w1: metric("input_w1"),
    cv_n: metric("cv_n"),
    n_min: metric("n_min"),
    n_max: metric("n_max"),
    h_q: metric("h_q"),
    h_w: metric("h_w"),
    d_sol_floor: metric("d_sol_floor"),
    tv: metric("tv"),
    js: metric("js"),
    eps_part: metric("eps_part"),
    eps_quant: metric("eps_quant"),
    communication: communication ?? NaN,
    h_g_norm: gradients,
    run_id: id,
  };
  const checkpoints = run.checkpoints.map(({ round, test_error, d_loc, clients }) => ({
    round,
    test_error,
    d_loc: d_loc ?? (round === 0 ? 0 : NaN),
    ...(clients && { clients }),
    parameters: parameters.get(round),
  }));
  return { measured: { common, checkpoints }, layout, problems };
}

/** What sizes of clients say where no partition file does. */
function sizeMetrics(sizes: ExternalRun["sizes"]): Readonly<Record<string, number>> {
  if (!sizes) return {};
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const square = sizes.reduce((sum, size) => sum + (size - mean) ** 2, 0) / sizes.length;
  return { cv_n: Math.sqrt(square) / mean, n_min: Math.min(...sizes), n_max: Math.max(...sizes) };
}

/** The arrays of all checkpoints, as far as they can be read and belong to one model. */
async function arraysOf(run: ExternalRun) {
  const parameters = new Map<number, Float32Array>();
  const problems: string[] = [];
  let layout: string | undefined;
  let gradients = NaN;
  for (const checkpoint of run.checkpoints) {
    const { round, line } = checkpoint;
    try {
      const own = await checkpointParameters(run, checkpoint);
      if (own && own.layout !== (layout ?? own.layout))
        throw new FormatError(
          `${run.path}:${line}: parameters: ${checkpoint.parameters} has other arrays than the checkpoints before: ` +
            `${brief(own.layout)}, not ${brief(layout!)}`,
        );
      layout ??= own?.layout;
      if (own) parameters.set(round, own.values);
      if (round === 0) gradients = (await gradientMetric(run, checkpoint)) ?? NaN;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      problems.push(error.message);
    }
  }
  return { layout, gradients, parameters, problems };
}

/** Letters of a layout that a message has room for. */
const MOST_LETTERS = 80;

/** Names and shapes for a message: models have hundreds. */
export const brief = (layout: string): string =>
  layout.length > MOST_LETTERS ? `${layout.slice(0, MOST_LETTERS)}…` : layout;
