import { isAbsolute, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fileChoiceOf } from "../datasets/files/file-choices.js";
import type { FileChoice } from "../datasets/files/labelled-file.js";
import type { NotedNames } from "../datasets/files/open.js";
import { OptionError, UserError } from "../errors.js";
import { notedData } from "../exchange/given-clients.js";
import {
  completeOptions,
  type DataSource,
  type GivenRunOptions,
  type RunOptions,
  refusedFederation,
  runOptions,
} from "../federation/run-options.js";
import { resolvePartitioner } from "../federation/split/chosen-partitioner.js";
import { describeTrainingFile } from "../federation/training-file.js";
import { type Options, type OptionValue, propertyOf } from "../options/option.js";
import { isCostName } from "../partition/ground-costs.js";
import type { PartitionerChoice } from "../partition/partitioner.js";
import { DEFAULT_PARTITIONER, partitionerOf, takesAlpha } from "../partition/partitioners.js";
import { splitWords } from "../partition/split-words.js";
import { wantedBy } from "../pipeline/sample-knowledge.js";
import { recordedTask } from "../records/recorded-task.js";
import { runId } from "../records/run-record.js";
import type { RecordedSettings } from "../records/settings.js";
import { settingKey as keyOf, type Settings } from "../records/settings.js";
import { type AxisValues, combinations } from "./option-fields.js";
import { plannedSettings } from "./planned-settings.js";
import type { FieldPath } from "./read-specification.js";
import { recordedOptions } from "./recorded-options.js";
import { runSettings } from "./run-settings.js";
import { fileFieldsOf, parametersOf, type StudyEntry, type StudySpecification } from "./specification.js";

/** A specification that reads well but cannot be carried out, for what some of its fields say. */
export class PlanError extends OptionError {
  override name = "PlanError";
  constructor(
    message: string,
    /** Where it may lie; of several, in the first that the study states. */
    readonly fields: readonly FieldPath[],
  ) {
    super(message);
  }
}

/** One run of a study. */
export interface PlannedRun extends Partial<RecordedSettings> {
  readonly id: string;
  readonly options: RunOptions;
  /** Id of its reference: the near-IID run with the same seed and otherwise equal options; its own id if it is one. */
  readonly reference: string;
}

export interface StudyPlan {
  readonly specification: StudySpecification;
  /** Every run once, seed by seed, references first. */
  readonly runs: readonly PlannedRun[];
}

/** The runs of all studies, each once. */
export function allRuns(studies: readonly Pick<StudyPlan, "runs">[]): PlannedRun[] {
  return [...new Map(studies.flatMap(({ runs }) => runs).map((run) => [run.id, run])).values()];
}

/** The grid of a study as runs. */
export async function planStudy(specification: StudySpecification): Promise<StudyPlan> {
  const { alphas, reference: near, seeds } = specification;
  const runs = new Map<string, PlannedRun>();
  for (const shared of await variants(specification)) {
    for (const seed of seeds) {
      const planned = async (given: GivenRunOptions) => {
        const options = checkedOptions({ ...given, seed }, shared.position);
        return { id: await runId(recordedOptions(options)), options, ...runSettings(options) };
      };
      const hasAlpha = takesAlpha(shared.options.partitioner?.name ?? DEFAULT_PARTITIONER);
      const isDialled = hasAlpha && shared.options.targetDistance === undefined;
      // A split without a concentration is compared with the paper's near-IID one.
      const usual = { partitioner: undefined, targetDistance: undefined };
      const nearIid = await planned({ ...shared.options, ...(!isDialled && usual), alpha: near });
      runs.set(nearIid.id, { ...nearIid, reference: nearIid.id });
      for (const alpha of isDialled ? alphas : [null]) {
        const run = await planned({ ...shared.options, alpha });
        runs.set(run.id, { ...run, reference: nearIid.id });
      }
    }
  }
  const plan = { specification, runs: [...runs.values()] };
  const twin = indistinct(plan.runs);
  if (twin)
    throw new OptionError(
      `the study has two runs that its table could not tell apart, ${twin.join(" and ")}: make two studies of it`,
    );
  return plan;
}

/** Options of a run of the entry at a position; what is wrong with them is said of its fields. */
function checkedOptions(given: GivenRunOptions, position: number): RunOptions {
  try {
    return runOptions(given);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const entry = ["tasks", position];
    const isStray =
      given.targetDistance !== undefined && !takesAlpha(given.partitioner?.name ?? DEFAULT_PARTITIONER);
    const field = isStray
      ? ["partition", "target_distance"]
      : hasTooManyClients(given)
        ? ["federation", "clients"]
        : undefined;
    const federation = refused(given).map((name) => ["federation", name]);
    throw new PlanError(error.message, [...(field ? [field] : federation), entry]);
  }
}

/** The options of the federation that are refused; none where others are, which cannot even be completed. */
function refused(given: GivenRunOptions): readonly string[] {
  try {
    return refusedFederation(given);
  } catch {
    return [];
  }
}

/** Whether nothing else is wrong with options. */
function hasTooManyClients(given: GivenRunOptions): boolean {
  try {
    runOptions({ ...given, clients: 2, minSize: 1 });
    return true;
  } catch {
    return false;
  }
}

/** What an entry says of how its file is read and called. */
function fileChoice({ test, ...entry }: StudyEntry): FileChoice {
  return { ...fileChoiceOf(entry), ...(test !== undefined && { test: String(test) }) };
}

/** What the file of an entry holds; undefined for generated data. A partition may have `noted` how it is read. */
async function describedFile(
  entry: StudyEntry,
  position: number,
  noted: NotedNames | undefined,
): Promise<DataSource | undefined> {
  const { data } = entry;
  const [stray] = data === undefined ? fileFieldsOf(entry) : [];
  if (stray !== undefined)
    throw new PlanError(`${stray} needs a data file: add data, or leave it out`, [
      ["tasks", position, stray],
    ]);
  if (data === undefined) return undefined;
  try {
    return await describeTrainingFile(data, fileChoice(entry), { task: entry.task, noted });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const whole = isAbsolute(data) ? "" : ` (${resolve(data)})`;
    throw new PlanError(`${error.message}${whole}`, [["tasks", position, "data"]]);
  }
}

/** How all partitions that a study names read their data; undefined where they differ, or where there is none. */
async function notedByAll(partitioners: readonly PartitionerChoice[] = []): Promise<NotedNames | undefined> {
  const files = partitioners.flatMap((choice) => wantedBy(choice).assignment ?? []);
  try {
    const all = await Promise.all(files.map(notedData));
    const said = all.map(
      (noted) => noted && [noted.inputs, noted.responses, noted.layouts, noted.sample_axis],
    );
    return said.every((one) => isDeepStrictEqual(one, said[0])) ? all[0] : undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return undefined; // said again where the field is known
  }
}

/** Every combination of what is trained, apart from alpha and seed. */
async function variants(
  specification: StudySpecification,
): Promise<{ readonly position: number; readonly options: Omit<GivenRunOptions, "alpha" | "seed"> }[]> {
  const { tasks, federation, optimizer, partition, normalise, backend, tf32 } = specification;
  const { rounds, checkpoints, ...axes } = federation;
  const noted = await notedByAll(partition.partitioner);
  const files = await Promise.all(tasks.map((entry, position) => describedFile(entry, position, noted)));
  const found = tasks.map(async (entry, position) => {
    const file = files[position];
    const { train, test } = file ? {} : entry;
    const task = file?.task ?? entry.task;
    const own = { batch: entry.batch, min_size: entry.min_size, normalise: entry.normalise ?? normalise };
    const given = Object.entries({ ...axes, ...partition, ...own }).map(([name, values]) => [
      propertyOf(name),
      values ?? (axes as AxisValues<Options>)[name] ?? (partition as AxisValues<Options>)[name],
    ]);
    const { clients, ...others } = Object.fromEntries(given) as Record<string, readonly OptionValue[]>;
    const models = combinations<OptionValue>({ ...specification.model, ...entry.model });
    const parameters = combinations(parametersOf(entry));
    const all = combinations<unknown>({ clients, optimizer, parameters, model: models, ...others }).map(
      (chosen) =>
        ({
          task,
          train,
          test,
          data: file,
          rounds,
          checkpoints,
          backend,
          tf32,
          ...chosen,
        }) as Omit<GivenRunOptions, "alpha" | "seed">,
    );
    return Promise.all(
      all.map(async (options) => ({ position, options: await withPartitioner(options, position) })),
    );
  });
  return (await Promise.all(found)).flat();
}

/** Options with the numbers of clients and bins that a partitioner determines. */
async function withPartitioner(
  options: Omit<GivenRunOptions, "alpha" | "seed">,
  position: number,
): Promise<Omit<GivenRunOptions, "alpha" | "seed">> {
  const { partitioner, data, clients, bins, representation, standardise, cost } = options;
  if (!partitioner && representation === undefined && cost === undefined) return options;
  const keepsClients = partitioner !== undefined && partitionerOf(partitioner.name).keepsClients;
  try {
    const { train } = completeOptions(options);
    const metric = { representation, standardise, cost };
    const asked = { partitioner, data, train, bins, ...metric, ...(keepsClients ? {} : { clients }) };
    return { ...options, ...(await resolvePartitioner({ ...asked, usualClients: clients })) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new PlanError(error.message, [
      ...(cost !== undefined && !isCostName(cost) ? [["partition", "cost"]] : []),
      ...(representation === undefined ? [] : [["partition", "representation"]]),
      ["partition", "partitioner"],
      ["partition", "file"],
      ["tasks", position],
    ]);
  }
}

/** Two runs that differ, but not in what the seed-level table says of them; undefined if there are none. */
export function indistinct(
  runs: readonly Omit<PlannedRun, "reference">[],
): readonly [string, string] | undefined {
  const seen = new Map<string, string>();
  for (const { id, options, ...stated } of runs) {
    const { settings } = plannedSettings({ options, ...stated });
    const key = keyOf(settings, recordedTask(options), String(options.alpha), options.seed);
    const known = seen.get(key);
    if (known !== undefined && known !== id) return [known, id];
    seen.set(key, id);
  }
  return undefined;
}

/** What a study may have more values of later: all else is the same in all that it is asked for. */
export function settingKey(options: RunOptions): string {
  const { parameters, clients, optimizer, seed } = options;
  const varied: Settings = { ...parameters, clients, optimizer: optimizer.name };
  return keyOf(varied, recordedTask(options), splitWords(options), seed);
}
