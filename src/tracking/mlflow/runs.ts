import { userInfo } from "node:os";
import { RunRefused, type TrackedEnd, type TrackedPoint, type TrackedRun } from "../tracker.js";
import { type MlflowClient, MlflowError } from "./client.js";

/** Limits of one log-batch request, and of its values (mlflow/utils/validation.py; older servers take 500 letters). */
const MOST_METRICS = 1000;
const MOST_PARAMS = 100;
const LONGEST_PARAM = 500;
const LONGEST_TAG = 5000;
const LONGEST_KEY = 250;

/** Tags by which a run is found again. */
const RUN_TAG = "pde_dirichlet.run_id";
const ATTEMPT_TAG = "pde_dirichlet.attempt";

const STATUS = { finished: "FINISHED", failed: "FAILED", killed: "KILLED" } as const;

/** A run as MLflow knows it. */
export interface MlflowRun {
  readonly id: string;
  readonly artifacts: string;
  readonly status: string;
  /** Last step of every metric. */
  readonly steps: ReadonlyMap<string, number>;
  readonly params: ReadonlySet<string>;
  readonly tags: ReadonlyMap<string, string>;
}

interface Answer {
  readonly info: { readonly run_id: string; readonly status: string; readonly artifact_uri?: string };
  readonly data?: {
    readonly metrics?: readonly { readonly key: string; readonly step?: number | string }[];
    readonly params?: readonly { readonly key: string }[];
    readonly tags?: readonly { readonly key: string; readonly value: string }[];
  };
}

/** Finds the run that has our name; the oldest, where two processes made one each. */
export async function findRun(
  client: MlflowClient,
  experiment: string,
  { id, attempt }: Pick<TrackedRun, "id" | "attempt">,
): Promise<MlflowRun | undefined> {
  const { runs = [] } = await allowed(() =>
    client.post<{ runs?: readonly Answer[] }>("/runs/search", {
      experiment_ids: [experiment],
      filter: `tags.\`${RUN_TAG}\` = '${id.replaceAll("'", "")}' and tags.\`${ATTEMPT_TAG}\` = '${attempt.replaceAll("'", "")}'`,
      order_by: ["attributes.start_time ASC"],
      max_results: 1,
    }),
  );
  return runs[0] && runOf(runs[0]);
}

/** Makes a run with its facts as tags. */
export async function createRun(
  client: MlflowClient,
  experiment: string,
  { id, attempt, started, facts }: Pick<TrackedRun, "id" | "attempt" | "started" | "facts">,
): Promise<MlflowRun> {
  const { git_commit, ...others } = facts;
  const tags = {
    "mlflow.runName": id,
    "mlflow.source.name": "pde-dirichlet",
    "mlflow.source.type": "LOCAL",
    "mlflow.user": userName(),
    ...(git_commit !== undefined && { "mlflow.source.git.commit": git_commit }),
    [RUN_TAG]: id.replaceAll("'", ""),
    [ATTEMPT_TAG]: attempt.replaceAll("'", ""),
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== "")),
  };
  const { run } = await allowed(() =>
    client.post<{ run: Answer }>("/runs/create", {
      experiment_id: experiment,
      run_name: id,
      start_time: started,
      tags: Object.entries(tags).map(([key, value]) => ({ key: keyOf(key), value: cut(value, LONGEST_TAG) })),
    }),
  );
  return runOf(run);
}

/** Who is logged in; a container may have no name for its user. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "unknown";
  }
}

/** Logs those settings that the run does not have: a request may have been lost half way. */
export async function logParams(
  client: MlflowClient,
  { id, params: known }: MlflowRun,
  params: TrackedRun["params"],
): Promise<void> {
  const missing = Object.entries(params)
    .map(([key, value]) => ({ key: keyOf(key), value: cut(String(value), LONGEST_PARAM) }))
    .filter(({ key }) => !known.has(key));
  for (let start = 0; start < missing.length; start += MOST_PARAMS)
    await logBatch(client, { run_id: id, params: missing.slice(start, start + MOST_PARAMS) });
}

/** Logs metrics. No request ends within a point, so that the last step says how far a run was logged. */
export async function logPoints(
  client: MlflowClient,
  id: string,
  points: readonly TrackedPoint[],
): Promise<void> {
  let metrics: { key: string; value: number; timestamp: number; step: number }[] = [];
  for (const { round: step, time: timestamp, metrics: measured } of points) {
    const own = Object.entries(measured).map(([key, value]) => ({ key: keyOf(key), value, timestamp, step }));
    if (metrics.length + own.length > MOST_METRICS) {
      await logBatch(client, { run_id: id, metrics });
      metrics = [];
    }
    metrics.push(...own);
  }
  if (metrics.length > 0) await logBatch(client, { run_id: id, metrics });
}

const logBatch = (client: MlflowClient, batch: Readonly<Record<string, unknown>>): Promise<unknown> =>
  allowed(() => client.post("/runs/log-batch", batch));

/** Says how a run stands; undefined for one that goes on. */
export async function updateStatus(
  client: MlflowClient,
  id: string,
  end: Pick<TrackedEnd, "status" | "time"> | undefined,
): Promise<void> {
  await allowed(() =>
    client.post(
      "/runs/update",
      end
        ? { run_id: id, status: STATUS[end.status], end_time: end.time }
        : { run_id: id, status: "RUNNING" },
    ),
  );
}

export async function setTag(client: MlflowClient, id: string, key: string, value: string): Promise<void> {
  await allowed(() => client.post("/runs/set-tag", { run_id: id, key, value: cut(value, LONGEST_TAG) }));
}

/** The status in our words; undefined for a run that goes on. */
export function statusOf({ status }: MlflowRun): TrackedEnd["status"] | undefined {
  return (Object.keys(STATUS) as TrackedEnd["status"][]).find((name) => STATUS[name] === status);
}

function runOf({ info, data = {} }: Answer): MlflowRun {
  const { metrics = [], params = [], tags = [] } = data;
  return {
    id: info.run_id,
    artifacts: info.artifact_uri ?? "",
    status: info.status,
    steps: new Map(metrics.map(({ key, step = 0 }) => [key, Number(step)])),
    params: new Set(params.map(({ key }) => key)),
    tags: new Map(tags.map(({ key, value }) => [key, value])),
  };
}

/** What MLflow refuses of one run is no reason to give up the others. */
async function allowed<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw error instanceof MlflowError ? new RunRefused(error.message || error.code) : error;
  }
}

/** Names that MLflow takes: letters, digits, `_-./` and spaces. */
const keyOf = (name: string): string => name.replace(/[^\w\-./ ]/g, "_").slice(0, LONGEST_KEY);

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;
