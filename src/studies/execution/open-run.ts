import { createHash } from "node:crypto";
import { availableParallelism, cpus, totalmem } from "node:os";
import { binsSha256 } from "../../exchange/partition-file.js";
import type { OpenBackend } from "../../federation/backends.js";
import { type Federation, federate, type PreparedData } from "../../federation/federation.js";
import { operatorModel } from "../../federation/operator-model.js";
import { blocksOf, isStored, type Samples } from "../../federation/samples/stored-samples.js";
import { communication } from "../../federation/strategies/communication.js";
import { FolderInUse, lockFolder } from "../../files/lock/folder-lock.js";
import { parameterCount } from "../../models/parameter-layout.js";
import type { TrainingSamples } from "../../models/trainable-model.js";
import { countTable, PARTITION_RULES } from "../../partition/assignment.js";
import { splitWords } from "../../partition/split-words.js";
import { RANDOM_ALGORITHM } from "../../random/stream.js";
import { sha256 } from "../../records/content-hash.js";
import { clearFailure } from "../../records/run-failure.js";
import { isFinished, readRecordToCarryOut, runFolder } from "../../records/run-folder.js";
import { RUN_SCHEMA, type RunRecord, type RunResult } from "../../records/run-record.js";
import { VERSION } from "../../version.js";
import type { PlannedRun } from "../plan.js";
import { recordedOptions } from "../recorded-options.js";
import { runSettings } from "../run-settings.js";
import { HeldElsewhere } from "./held-elsewhere.js";
import { RunRecorder } from "./run-recorder.js";

/** A run whose folder is locked and whose record is begun; close it when done. */
export interface OpenRun {
  readonly problem: Federation<Samples>;
  readonly recorder: RunRecorder;
  /** That the run begins again, and why, where its saved state could not be used. */
  readonly notice: string | undefined;
  /** Throws `HeldElsewhere` where another process has taken the run over, since this one was halted for long. */
  checkHeld(): Promise<void>;
  /** Writes what came out, once the run is trained. */
  finish(): Promise<RunResult>;
  close(): Promise<void>;
}

/**
 * Opens a run to be carried out on this hardware, or gives its result if it is finished. Throws `HeldElsewhere` where another
 * process works on it.
 */
export async function openRun(
  study: string,
  run: PlannedRun,
  data: () => Promise<PreparedData<Samples>>,
  hardware: OpenBackend["hardware"],
): Promise<OpenRun | { readonly result: RunResult }> {
  const folder = runFolder(study, run.id);
  const lock = await lockFolder(folder).catch((error) => {
    throw error instanceof FolderInUse ? new HeldElsewhere(error.message) : error;
  });
  try {
    // Looked at once more: another process may have finished it just before. Having created the lock's file, this
    // machine sees the folder of a network file system as it is now.
    const known = await readRecordToCarryOut(folder);
    if (isFinished(known)) {
      await lock.release();
      return { result: known.result };
    }
    const problem = await federate(await data(), run.options);
    const recorder = await RunRecorder.open(folder, await startedRecord(run, problem, hardware));
    await clearFailure(folder);
    const { restarted } = recorder;
    const checkHeld = async () => {
      if (!(await lock.isHeld())) throw new HeldElsewhere(`another process has taken over run ${run.id}`);
    };
    return {
      problem,
      recorder,
      notice: restarted && `run ${run.id} restarts from round 0: ${restarted}`,
      checkHeld,
      async finish() {
        await checkHeld();
        return recorder.finish(problem.measured, problem.operator.layout, (parameters) =>
          operatorModel(problem, parameters),
        );
      },
      close: () => recorder.close().finally(lock.release),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** What is known of a run when it begins. */
async function startedRecord(
  { id, options }: PlannedRun,
  problem: Federation<Samples>,
  hardware: OpenBackend["hardware"],
): Promise<RunRecord> {
  const { train, test, operator, scaling, measured, inputShape, responseShape } = problem;
  const { partition, bins, diagnostics } = measured;
  const { settings, overrides } = runSettings(options);
  const counts = countTable(partition);
  const [onTrain, onTest] = [await samplesSha256(train), await samplesSha256(test)];
  return {
    schema: RUN_SCHEMA,
    id,
    status: "running",
    made_with: {
      name: "pde-dirichlet",
      version: VERSION,
      random: RANDOM_ALGORITHM,
      partition: PARTITION_RULES,
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
        train_inputs: onTrain.inputs,
        train_responses: onTrain.responses,
        test_inputs: onTest.inputs,
        test_responses: onTest.responses,
      },
    },
    architecture: { ...operator.architecture, parameters: parameterCount(operator.layout), scaling },
    communication: communication(operator.layout, options),
    partition: {
      bins_sha256: await binsSha256(bins),
      scale: bins.scale,
      sizes: counts.map((row) => row.reduce((a, b) => a + b, 0)),
      counts,
      repairs: partition.repairs.length,
      split: splitWords(options),
      ...(options.targetDistance !== undefined && { alpha: partition.alpha }),
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

/** SHA-256 of arrays of samples. */
type SampleHashes = Readonly<Record<"inputs" | "responses", string>>;

/** Runs of a seed have the same samples, which are hashed once. */
const hashes = new WeakMap<Samples, Promise<SampleHashes>>();

function samplesSha256(samples: Samples): Promise<SampleHashes> {
  const found = hashes.get(samples) ?? (isStored(samples) ? storedSha256(samples) : arraysSha256(samples));
  hashes.set(samples, found);
  return found;
}

async function arraysSha256({ inputs, responses }: TrainingSamples): Promise<SampleHashes> {
  return { inputs: await sha256(bytesOf(inputs)), responses: await sha256(bytesOf(responses)) };
}

async function storedSha256(samples: Samples): Promise<SampleHashes> {
  const [inputs, responses] = [createHash("sha256"), createHash("sha256")];
  for await (const block of blocksOf(samples)) {
    inputs.update(bytesOf(block.inputs));
    responses.update(bytesOf(block.responses));
  }
  return { inputs: inputs.digest("hex"), responses: responses.digest("hex") };
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
