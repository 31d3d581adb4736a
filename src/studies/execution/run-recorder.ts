import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { checkConvergence } from "../../federation/divergence.js";
import type { Checkpoint, TrainerState } from "../../federation/trainer.js";
import { type Output, writeOutputs } from "../../files/disk.js";
import type { ParameterLayout } from "../../models/parameter-layout.js";
import type { MeasuredPartition } from "../../pipeline/measured-partition.js";
import { parametersSha256, sha256 } from "../../records/content-hash.js";
import { Journal } from "../../records/journal.js";
import { runArrays } from "../../records/run-arrays.js";
import { RUN_FILES, readRunRecord, withFile } from "../../records/run-folder.js";
import { type RunRecord, type RunResult, runJson } from "../../records/run-record.js";
import { writeParameters } from "../../records/stored-parameters.js";
import { VERSION } from "../../version.js";
import { type ResumeState, readState, writeState } from "./state-file.js";

/**
 * Writes a run into its folder while it is trained. Killed at any moment, it can be opened again and goes on from the
 * last saved state; `run.json` with the result is the last file to appear, so that a finished run is a whole one.
 */
export class RunRecorder {
  readonly #rounds: number[];
  readonly #parameters: Float32Array[];
  #since = performance.now();

  private constructor(
    private readonly folder: string,
    private readonly record: RunRecord,
    private readonly journal: Journal,
    /** Where to go on, if the run was interrupted. */
    readonly resume: ResumeState | undefined,
    /** Why a run that was interrupted cannot go on and begins again, in words. */
    readonly restarted: string | undefined,
  ) {
    this.#rounds = [...(resume?.checkpoints.rounds ?? [])];
    this.#parameters = [...(resume?.checkpoints.parameters ?? [])];
  }

  /** Opens the folder of a run that is about to begin or to go on. */
  static async open(folder: string, record: RunRecord): Promise<RunRecorder> {
    const before = await readRunRecord(folder).catch(() => undefined);
    const { state, lost } = await savedState(folder, record, before);
    const started = state ? { ...record, started: before!.started } : record;
    await writeOutputs([output(folder, "run", await runJson(started))], { force: true });
    const journal = await Journal.open(join(folder, RUN_FILES.journal), state?.trainer.round ?? -1);
    return new RunRecorder(folder, started, journal, state, lost);
  }

  /** Seconds of training so far. */
  get seconds(): number {
    return (this.resume?.seconds ?? 0) + (performance.now() - this.#since) / 1000;
  }

  /** Counts seconds from now on; which is when, in milliseconds. */
  begin(): number {
    this.#since = performance.now();
    return this.#since;
  }

  /** Notes a checkpoint; one that is known already is passed over. */
  async checkpoint(checkpoint: Checkpoint): Promise<void> {
    const { round, testError, trainLoss, gradientDissimilarity, localDispersion } = checkpoint;
    if (this.#rounds.includes(round)) return;
    const start = this.journal.lines.find((line) => line.round === 0);
    checkConvergence(`run ${this.record.id}`, checkpoint, start?.test_error, this.record.options);
    const parameters = checkpoint.parameters.slice();
    await this.journal.append({
      round,
      test_error: testError,
      train_loss: trainLoss,
      h_g_norm: gradientDissimilarity,
      d_loc: localDispersion,
      parameters_sha256: await parametersSha256(parameters),
      ...ofClients(checkpoint.clients),
    });
    this.#rounds.push(round);
    this.#parameters.push(parameters);
  }

  /** Keeps the state from which the run can go on. */
  saveState(trainer: TrainerState): Promise<void> {
    return RunRecorder.saveStates([[this, trainer]]);
  }

  /** The same for several runs: they appear at one moment, so that the runs can go on as replicas. */
  static async saveStates(states: readonly (readonly [RunRecorder, TrainerState])[]): Promise<void> {
    const outputs = states.map(([recorder, trainer]) => {
      const { seconds, journal } = recorder;
      const state = { trainer, checkpoints: recorder.#checkpoints(), seconds, journal: journal.sha256 };
      return output(recorder.folder, "state", writeState(state));
    });
    await writeOutputs(outputs, { force: true });
  }

  /**
   * Writes the arrays, the parameters and the operator, and closes the record with the result.
   *
   * @param model the operator with these parameters as the bytes of an `.onnx` file
   */
  async finish(
    measured: MeasuredPartition,
    layout: ParameterLayout,
    model: (parameters: Float32Array) => Uint8Array,
  ): Promise<RunResult> {
    const { seconds } = this;
    const { round, test_error, train_loss, parameters_sha256 } = this.journal.lines.at(-1)!;
    const last = this.#parameters.at(-1)!;
    const { id, options, architecture } = this.record;
    const contents = {
      arrays: runArrays(measured, this.#checkpoints()),
      parameters: writeParameters(layout, last, {
        run: id,
        round: String(round),
        task: options.task,
        parameters_sha256,
        architecture: JSON.stringify(architecture),
      }),
      model: model(last),
    };
    const files = {
      [RUN_FILES.journal]: this.journal.sha256,
      [RUN_FILES.arrays]: await sha256(contents.arrays),
      [RUN_FILES.parameters]: await sha256(contents.parameters),
      [RUN_FILES.model]: await sha256(contents.model),
    };
    const finished = new Date().toISOString();
    const result = { round, test_error, train_loss, parameters_sha256, seconds, finished, files };
    const record: RunRecord = { ...this.record, status: "finished", result };
    await writeOutputs(
      [
        output(this.folder, "arrays", contents.arrays),
        output(this.folder, "parameters", contents.parameters),
        output(this.folder, "model", contents.model),
        output(this.folder, "run", await runJson(record)),
      ],
      { force: true },
    );
    await rm(join(this.folder, RUN_FILES.state), { force: true });
    return result;
  }

  close(): Promise<void> {
    return this.journal.close();
  }

  #checkpoints() {
    return { rounds: this.#rounds, parameters: this.#parameters };
  }
}

/** What was measured of clients, as a journal has it: seven digits say all that float32 knows. */
function ofClients({ testErrors, trainLosses, updates, cosines, binErrors }: Checkpoint["clients"]) {
  const each = (values: readonly number[]) =>
    values.map((value) => (Number.isFinite(value) ? Number(value.toPrecision(7)) : null));
  return {
    clients: {
      test_error: each(testErrors),
      train_loss: each(trainLosses),
      update: each(updates),
      cosine: each(cosines),
    },
    bins: { test_error: each(binErrors) },
  };
}

/** The round after which a run that is opened now goes on; undefined if it begins anew. */
export async function reachedRound(folder: string, run: ComputedRun): Promise<number | undefined> {
  const before = await readRunRecord(folder).catch(() => undefined);
  return (await savedState(folder, run, before)).state?.trainer.round;
}

/** Which run it is, and what computes it. */
export type ComputedRun = Pick<RunRecord, "id" | "hardware" | "options">;

/** The saved state, or why there is none that the run can go on from; neither if none was saved. */
async function savedState(
  folder: string,
  run: ComputedRun,
  before: RunRecord | undefined,
): Promise<{ readonly state?: ResumeState; readonly lost?: string }> {
  const path = join(folder, RUN_FILES.state);
  if (!existsSync(path)) return {};
  if (before?.id !== run.id) return { lost: "its run.json is damaged" };
  // Another version of the program or another device may compute other bits.
  if (before.made_with.version !== VERSION) return { lost: `version ${before.made_with.version} started it` };
  if (computedBy(before) !== computedBy(run)) return { lost: `it was started on ${computedBy(before)}` };
  try {
    const state = await withFile(path, readState);
    const journal = await Journal.open(join(folder, RUN_FILES.journal), state.trainer.round);
    await journal.close();
    const noted = journal.lines.map(({ round }) => round);
    return journal.sha256 === state.journal && noted.join() === state.checkpoints.rounds.join()
      ? { state }
      : { lost: "its journal.jsonl has changed since its state was saved" };
  } catch (error) {
    return { lost: (error as Error).message };
  }
}

function output(folder: string, file: keyof typeof RUN_FILES, contents: string | Uint8Array): Output {
  const bytes = typeof contents === "string" ? new TextEncoder().encode(contents) : contents;
  return { path: join(folder, RUN_FILES[file]), bytes };
}

/** The backend and the GPU of a run; records that do not say are of the backend in the options. */
function computedBy({ hardware, options }: ComputedRun): string {
  return `${hardware.backend ?? options.backend} ${hardware.gpu ?? ""}`.trim();
}
