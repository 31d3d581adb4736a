import type { KnownRun, TrackedEnd, TrackedPoint, TrackedRun, Tracker, TrackerEntry } from "../tracker.js";
import { mlflowAddress } from "./address.js";
import { contentHash, putArtifact } from "./artifacts.js";
import { type MlflowClient, mlflowClient } from "./client.js";
import { checkExperiment, experimentId } from "./experiments.js";
import {
  createRun,
  findRun,
  logParams,
  logPoints,
  type MlflowRun,
  setTag,
  statusOf,
  updateStatus,
} from "./runs.js";

/** An MLflow tracking server, by its REST interface. */
export const mlflow: TrackerEntry = {
  title: "MLflow",
  usage: "mlflow:http://host:port",
  choose(place, { studies, experiment, onNotice }) {
    const address = mlflowAddress(place, process.env);
    return {
      words: place === undefined ? "mlflow" : `mlflow:${address.base}`,
      look: address.base,
      async open(signal) {
        const client = mlflowClient(address, signal);
        for (const name of experiment === undefined ? studies : [experiment])
          await checkExperiment(client, name);
        return new MlflowServer(client, experiment, onNotice);
      },
    };
  },
};

/** The run that holds files about a whole study. */
const REPORT_RUN = "report";
const REPORT_TAG = "pde_dirichlet.report_sha256";

class MlflowServer implements Tracker {
  readonly #experiments = new Map<string, Promise<string>>();
  readonly #runs = new Map<string, MlflowRun>();
  readonly #running = new Set<string>();
  #takesFiles = true;

  constructor(
    private readonly client: MlflowClient,
    /** In place of the studies. */
    private readonly experiment: string | undefined,
    private readonly onNotice: ((message: string) => void) | undefined,
  ) {}

  async begin(run: TrackedRun): Promise<KnownRun> {
    const found = await this.#found(run);
    await logParams(this.client, found, run.params);
    this.#runs.set(run.id, found);
    const status = statusOf(found);
    if (status === undefined) this.#running.add(run.id);
    return {
      round: found.steps.get("test_error") ?? -1,
      compared: found.steps.get("excess_error") ?? -1,
      status,
    };
  }

  async log({ id }: TrackedRun, points: readonly TrackedPoint[]): Promise<void> {
    const run = this.#runs.get(id)!;
    await logPoints(this.client, run.id, points);
    const isMeasured = points.some(({ metrics }) => "test_error" in metrics);
    if (!isMeasured || this.#running.has(id)) return;
    await updateStatus(this.client, run.id, undefined);
    this.#running.add(id);
  }

  async end({ id }: TrackedRun, end: TrackedEnd): Promise<void> {
    const run = this.#runs.get(id)!;
    const { round, time, metrics, message, files } = end;
    await logPoints(this.client, run.id, [{ round, time, metrics }]);
    if (message !== undefined) await setTag(this.client, run.id, "failure", message);
    for (const file of files) await this.#put(run, file);
    await updateStatus(this.client, run.id, end);
    this.#running.delete(id);
  }

  async attach(study: string, file: string): Promise<void> {
    const hash = await contentHash(file).catch(() => undefined);
    if (hash === undefined || !this.#takesFiles) return;
    const started = Date.now();
    const run = { id: REPORT_RUN, attempt: "report", study, started, params: {}, facts: {} };
    const found = await this.#found(run);
    if (found.tags.get(REPORT_TAG) === hash || !(await this.#put(found, file))) return;
    await setTag(this.client, found.id, REPORT_TAG, hash);
    await updateStatus(this.client, found.id, { status: "finished", time: Date.now() });
  }

  async close(): Promise<void> {}

  async #found(run: TrackedRun): Promise<MlflowRun> {
    const experiment = await this.#experimentOf(run);
    return (await findRun(this.client, experiment, run)) ?? createRun(this.client, experiment, run);
  }

  #experimentOf({ study }: TrackedRun): Promise<string> {
    const name = this.experiment ?? study;
    const known = this.#experiments.get(name) ?? experimentId(this.client, name);
    this.#experiments.set(name, known);
    return known;
  }

  async #put(run: MlflowRun, file: string): Promise<boolean> {
    if (!this.#takesFiles) return false;
    this.#takesFiles = await putArtifact(this.client, run, file);
    if (!this.#takesFiles)
      this.onNotice?.(
        "the MLflow server takes no files (it has no artefact proxy): run.json, model.onnx and the report stay here",
      );
    return this.#takesFiles;
  }
}
