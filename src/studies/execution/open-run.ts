import { availableParallelism, cpus, totalmem } from "node:os";
import { binsSha256 } from "../../exchange/partition-file.js";
import type { OpenBackend } from "../../federation/backends.js";
import { type Federation, federate, type PreparedData } from "../../federation/federation.js";
import { operatorModel } from "../../federation/operator-model.js";
import { lockFolder } from "../../files/folder-lock.js";
import { parameterCount } from "../../models/parameter-layout.js";
import { countTable, PARTITION_SCHEMA } from "../../partition/assignment.js";
import { RANDOM_ALGORITHM } from "../../random/stream.js";
import { sha256 } from "../../records/content-hash.js";
import { clearFailure } from "../../records/run-failure.js";
import { isFinished, readRecordToCarryOut, runFolder } from "../../records/run-folder.js";
import { RUN_SCHEMA, type RunRecord, type RunResult } from "../../records/run-record.js";
import { VERSION } from "../../version.js";
import type { PlannedRun } from "../plan.js";
import { recordedOptions } from "../recorded-options.js";
import { runSettings } from "../run-settings.js";
import { RunRecorder } from "./run-recorder.js";

/** A run whose folder is locked and whose record is begun; close it when done. */
export interface OpenRun {
  readonly problem: Federation;
  readonly recorder: RunRecorder;
  /** That the run begins again, and why, where its saved state could not be used. */
  readonly notice: string | undefined;
  /** Writes what came out, once the run is trained. */
  finish(): Promise<RunResult>;
  close(): Promise<void>;
}

/** Opens a run to be carried out on this hardware, or gives its result if it is finished. */
export async function openRun(
  study: string,
  run: PlannedRun,
  data: () => Promise<PreparedData>,
  hardware: OpenBackend["hardware"],
): Promise<OpenRun | { readonly result: RunResult }> {
  const folder = runFolder(study, run.id);
  // A worker that lost its study ends by itself within moments.
  const release = await lockFolder(folder, { patience: 30 });
  try {
    const known = await readRecordToCarryOut(folder);
    if (isFinished(known)) {
      await release();
      return { result: known.result };
    }
    const problem = await federate(await data(), run.options);
    const recorder = await RunRecorder.open(folder, await startedRecord(run, problem, hardware));
    await clearFailure(folder);
    const { restarted } = recorder;
    return {
      problem,
      recorder,
      notice: restarted && `run ${run.id} restarts from round 0: ${restarted}`,
      finish: () =>
        recorder.finish(problem.measured, problem.operator.layout, (parameters) =>
          operatorModel(problem, parameters),
        ),
      close: () => recorder.close().finally(release),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

/** What is known of a run when it begins. */
async function startedRecord(
  { id, options }: PlannedRun,
  problem: Federation,
  hardware: OpenBackend["hardware"],
): Promise<RunRecord> {
  const { train, test, operator, scaling, measured, inputShape, responseShape } = problem;
  const { partition, bins, diagnostics } = measured;
  const { settings, overrides } = runSettings(options);
  const counts = countTable(partition);
  return {
    schema: RUN_SCHEMA,
    id,
    status: "running",
    made_with: {
      name: "pde-dirichlet",
      version: VERSION,
      random: RANDOM_ALGORITHM,
      partition: PARTITION_SCHEMA,
      node: process.versions.node,
    },
    hardware: {
      platform: process.platform,
      architecture: process.arch,
      processor: cpus()[0]?.model.trim() ?? "unknown",
      cores: availableParallelism(),
      memory_gib: Math.round((totalmem() / 2 ** 30) * 10) / 10,
      ...hardware,
    },
    started: new Date().toISOString(),
    options: recordedOptions(options),
    settings: { ...settings },
    overrides: [...overrides],
    data: {
      task: options.task,
      ...describedData(problem.description),
      origin: problem.origin,
      parameters: { ...options.parameters },
      seed: options.dataSeed,
      input_shape: [...inputShape],
      response_shape: [...responseShape],
      sha256: {
        train_inputs: await valuesSha256(train.inputs),
        train_responses: await valuesSha256(train.responses),
        test_inputs: await valuesSha256(test.inputs),
        test_responses: await valuesSha256(test.responses),
      },
    },
    architecture: { ...operator.architecture, parameters: parameterCount(operator.layout), scaling },
    partition: {
      bins_sha256: await binsSha256(bins),
      scale: bins.scale,
      sizes: counts.map((row) => row.reduce((a, b) => a + b, 0)),
      counts,
      repairs: partition.repairs.length,
      metrics: { ...diagnostics.metrics },
      notes: [...diagnostics.notes],
    },
  };
}

/** What records keep of a description, for reports and readers. */
function describedData({ title, inputs, responses }: Federation["description"]) {
  return {
    ...(title !== undefined && { title }),
    ...(inputs && { inputs: { ...inputs } }),
    ...(responses && { responses: { ...responses } }),
  };
}

/** Runs of a seed have the same arrays, which are hashed once. */
const hashes = new WeakMap<Float32Array, Promise<string>>();

function valuesSha256(values: Float32Array): Promise<string> {
  const { buffer, byteOffset, byteLength } = values;
  const hash = hashes.get(values) ?? sha256(new Uint8Array(buffer, byteOffset, byteLength));
  hashes.set(values, hash);
  return hash;
}
