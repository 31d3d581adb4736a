import { join } from "node:path";
import { UserError } from "../errors.js";
import { countTable, KNOWN_PARTITION_RULES, PARTITION_RULES } from "../partition/assignment.js";
import { drawPartition, type Partition } from "../partition/partition.js";
import type { PartitionerChoice } from "../partition/partitioner.js";
import { DEFAULT_PARTITIONER, partitionerOf } from "../partition/partitioners.js";
import type { RepairRule } from "../partition/repair.js";
import { verifyExactCover } from "../partition/verify.js";
import { wantedBy } from "../pipeline/sample-knowledge.js";
import { canonicalJson, parametersSha256 } from "../records/content-hash.js";
import { metricProblems } from "../records/metric-problems.js";
import type { RunArrays } from "../records/run-arrays.js";
import {
  type FinishedRun,
  fileSha256,
  isFinished,
  RUN_FILES,
  readFinishedRun,
  readRunRecord,
  runFolder,
  withFile,
} from "../records/run-folder.js";
import { type RecordedOptions, type RunRecord, runId } from "../records/run-record.js";
import { readParameters } from "../records/stored-parameters.js";
import { readStudies } from "./read-studies.js";
import { recordedOptions } from "./recorded-options.js";
import { tableProblems } from "./verify-table.js";

export interface Verification {
  /** Finished runs that were checked. */
  readonly checked: number;
  readonly unfinished: number;
  /** What is wrong, a line each. */
  readonly problems: readonly string[];
}

/** Recomputes the hashes and the invariants of all finished runs of a folder, and its table. */
export async function verifyStudy(
  folder: string,
  { onRun }: { readonly onRun?: (done: number, total: number) => void } = {},
): Promise<Verification> {
  const studies = await readStudies(folder);
  const runs = new Map(studies.flatMap(({ runs }) => runs).map((run) => [run.id, run]));
  if (runs.size === 0) throw new UserError(`${folder} holds no study: it has no studies/*.json`);
  const problems: string[] = [];
  let checked = 0;
  let unfinished = 0;
  let reference: FinishedRun | undefined;
  for (const { id, reference: near, options } of runs.values()) {
    const complain = (problem: string) => problems.push(`run ${id}: ${problem}`);
    try {
      const named = KNOWN_PARTITION_RULES.map((rules) => runId(recordedOptions(options), rules));
      if (!(await Promise.all(named)).includes(id))
        complain("its name is not the hash of its options in studies/*.json");
      if (!isFinished(await readRunRecord(runFolder(folder, id)))) {
        unfinished++;
        continue;
      }
      const run = await readFinishedRun(runFolder(folder, id));
      checked++;
      for (const problem of await runProblems(folder, run)) complain(problem);
      if (run.record.id !== id) complain(`its run.json belongs to run ${run.record.id}`);
      if (id !== near) {
        if (reference?.record.id !== near) reference = await readFinishedRun(runFolder(folder, near));
        for (const problem of pairProblems(run, reference)) complain(problem);
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      complain(error.message);
    }
    onRun?.(checked + unfinished, runs.size);
  }
  const ofTable = await tableProblems(folder, { whole: unfinished === 0 });
  problems.push(...ofTable.filter((one) => !problems.some((known) => known.endsWith(one))));
  return { checked, unfinished, problems };
}

/** What is wrong with one run, seen by itself. */
async function runProblems(folder: string, { record, journal, arrays }: FinishedRun): Promise<string[]> {
  const { id, options, partition, result } = record;
  const problems: string[] = [];
  const check = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem);
  };
  const path = (file: string) => join(runFolder(folder, id), file);

  check((await runId(options, record.made_with.partition)) === id, "its name is not the hash of its options");
  for (const file of [RUN_FILES.journal, RUN_FILES.arrays])
    check(file in result.files, `its run.json has no SHA-256 of ${file}`);
  for (const [file, expected] of Object.entries(result.files)) {
    const found = await fileSha256(path(file));
    check(
      found === expected,
      `${file} has changed since it was written: its SHA-256 is now ${found.slice(0, 12)}...`,
    );
  }

  const rounds = journal.map(({ round }) => round).join();
  check(rounds === options.checkpoints.join(), "the journal does not contain every checkpoint exactly once");
  check(
    arrays.rounds.join() === options.checkpoints.join(),
    "arrays.npz does not contain every checkpoint exactly once",
  );
  for (const [row, { round, parameters_sha256 }] of journal.entries()) {
    const parameters = arrays.parameters[row];
    const found = parameters && (await parametersSha256(parameters));
    check(
      found === parameters_sha256,
      `the parameters of round ${round} do not match their hash in the journal`,
    );
  }
  const last = journal.at(-1);
  check(
    last?.test_error === result.test_error && last.parameters_sha256 === result.parameters_sha256,
    "its result does not match the last line of the journal",
  );
  const final = await withFile(path(RUN_FILES.parameters), readParameters);
  check(
    (await parametersSha256(final)) === result.parameters_sha256,
    "its parameters.safetensors does not match the hash in run.json",
  );

  const assignment = { ...arrays, clients: options.clients, bins: options.bins };
  const counts = JSON.stringify(countTable(assignment));
  try {
    const { keepsClients: partial } = partitionerOf(options.partitioner?.name ?? DEFAULT_PARTITIONER);
    verifyExactCover(assignment, options.min_size, { partial });
  } catch (error) {
    problems.push((error as Error).message);
  }
  check(
    arrays.clientOfSample.length === options.train,
    `it has ${arrays.clientOfSample.length} samples, not ${options.train}`,
  );
  check(counts === JSON.stringify(partition.counts), "its counts do not match its partition");
  check(
    JSON.stringify(partition.counts.map((row) => row.reduce((a, b) => a + b, 0))) ===
      JSON.stringify(partition.sizes),
    "its client sizes do not match its counts",
  );
  problems.push(...metricProblems(record, arrays));
  const drawn = redrawn(record, arrays);
  // Earlier rules moved other samples in a repair, but as many of each bin between the same clients.
  const isRedrawn =
    record.made_with.partition === PARTITION_RULES
      ? drawn.clientOfSample.join() === arrays.clientOfSample.join()
      : JSON.stringify(countTable(drawn)) === counts;
  check(isRedrawn, "its partition is not the one that its seed gives");
  return problems;
}

/** Options without the split: a run by another partitioner may have a reference by the paper's. */
function withoutSplit(options: Omit<RecordedOptions, "alpha" | "data">): object {
  const { partitioner: _, target_distance: __, min_size: ___, ...rest } = options;
  return rest;
}

/** The partition again, from what the run kept of its samples. */
function redrawn({ options, partition }: RunRecord, arrays: RunArrays): Partition {
  const { binOfSample, groupOfSample, attribute, inputBins, clientOfSample } = arrays;
  const { clients, bins, seed, min_size, repair } = options;
  const clientNames = Array.from({ length: clients }, (_, client) => String(client));
  return drawPartition(
    {
      bins,
      binOfSample,
      groups: groupOfSample,
      attribute,
      inputBins,
      clients: { clientOfSample, clientNames },
    },
    {
      ...{ clients, seed, minSize: min_size, repair: repair as RepairRule },
      alpha: options.alpha ?? partition.alpha ?? null,
      partitioner: options.partitioner as PartitionerChoice | undefined,
    },
  );
}

/** What a run and its reference must have in common: data, bins and the start. */
function pairProblems(run: FinishedRun, reference: FinishedRun): string[] {
  const problems: string[] = [];
  // Data are what a file holds, wherever it lies.
  const compared = ({ alpha: _, data, ...rest }: RecordedOptions) =>
    canonicalJson({ ...withoutSplit(rest), data: data?.sha256 ?? null });
  if (compared(run.record.options) !== compared(reference.record.options))
    problems.push("its reference has different options");
  if (canonicalJson(run.record.data) !== canonicalJson(reference.record.data))
    problems.push("its reference has different data");
  const isGiven = wantedBy(run.record.options.partitioner as PartitionerChoice | undefined).assignment;
  if (!isGiven && run.record.partition.bins_sha256 !== reference.record.partition.bins_sha256)
    problems.push("its reference has different bins");
  if (run.journal[0]?.parameters_sha256 !== reference.journal[0]?.parameters_sha256)
    problems.push("its reference has a different initial model");
  if (run.record.made_with.version !== reference.record.made_with.version)
    problems.push("its reference was trained by a different version of the program");
  return problems;
}
