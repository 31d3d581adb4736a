import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { followedRuns } from "../../src/tracking/followed-run.js";
import { mlflow } from "../../src/tracking/mlflow/mlflow.js";
import { sendRuns } from "../../src/tracking/send.js";
import { growingRun } from "./growing-run.js";
import { freshFolders, sampleTrackedRun } from "./tracked-folder.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const isThere = spawnSync(PYTHON, ["-c", "import mlflow.server"]).status === 0;
const fresh = freshFolders();

interface Run {
  readonly info: {
    run_id: string;
    run_name: string;
    status: string;
    artifact_uri: string;
    start_time: number;
  };
  readonly data: {
    readonly metrics: { key: string; value: number; step: number }[];
    readonly params: { key: string; value: string }[];
    readonly tags: { key: string; value: string }[];
  };
}

describe.skipIf(!isThere)("a real MLflow server", () => {
  const home = mkdtempSync(join(tmpdir(), "pde-dirichlet-mlflow-"));
  let server: ChildProcess;
  let url: string;

  beforeAll(async () => {
    url = `http://127.0.0.1:${await freePort()}`;
    const { port } = new URL(url);
    const store = ["--backend-store-uri", `sqlite:///${join(home, "mlflow.db")}`];
    const files = ["--artifacts-destination", join(home, "artifacts")];
    server = spawn(
      PYTHON,
      ["-m", "mlflow", "server", ...store, ...files, "--host", "127.0.0.1", "--port", port, "--workers", "1"],
      // A group of its own, so that its workers end with it.
      { stdio: ["ignore", "ignore", "pipe"], detached: true, cwd: home },
    );
    let said = "";
    server.stderr!.on("data", (chunk) => {
      said += chunk;
    });
    for (let tries = 0; tries < 600; tries++) {
      const isUp = await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) return;
      if (server.exitCode !== null) break;
      await pause(250);
    }
    throw new Error(`the MLflow server does not start: ${said.slice(-2000)}`);
  }, 180_000);

  afterAll(() => {
    if (server?.pid !== undefined) process.kill(-server.pid, "SIGKILL");
    rmSync(home, { recursive: true, force: true });
  });

  const call = async <T>(path: string, body?: unknown): Promise<T> => {
    const method = body === undefined ? "GET" : "POST";
    const response = await fetch(`${url}/api/2.0/mlflow${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(200);
    return response.json() as Promise<T>;
  };
  const experimentOf = async (name: string) => {
    const query = new URLSearchParams({ experiment_name: name });
    const { experiment } = await call<{ experiment: { experiment_id: string } }>(
      `/experiments/get-by-name?${query}`,
    );
    return experiment.experiment_id;
  };
  const runsOf = async (name: string): Promise<Run[]> => {
    const body = { experiment_ids: [await experimentOf(name)], order_by: ["attributes.run_name ASC"] };
    return (await call<{ runs?: Run[] }>("/runs/search", body)).runs ?? [];
  };
  const history = async ({ info }: Run, metric: string) => {
    const query = new URLSearchParams({ run_id: info.run_id, metric_key: metric });
    const { metrics } = await call<{ metrics: { step: number }[] }>(`/metrics/get-history?${query}`);
    return metrics.map(({ step }) => step).sort((x, y) => x - y);
  };
  const choice = (experiment: string, notices: string[] = []) =>
    mlflow.choose(url, {
      folder: "unused",
      studies: ["unused"],
      experiment,
      onNotice: (message) => void notices.push(message),
    });
  const optionsFor = (folder: string) => ({
    folder,
    runs: () => followedRuns(folder, { studyOf: () => "unused" }),
    interval: 5,
    onWarning: (message: string) => {
      throw new Error(message);
    },
  });

  it("has runs with settings, metrics by round, files and ends, each once", async () => {
    const folder = fresh();
    const [a, b] = [growingRun(folder, "a"), growingRun(folder, "b")];
    for (const run of [a, b]) {
      await run.begin();
      for (const round of [0, 1]) run.checkpoint(round);
    }
    const notices: string[] = [];
    const tracker = choice("a study", notices);
    expect(await sendRuns(tracker, optionsFor(folder))).toBe(4);
    expect((await runsOf("a study")).map(({ info }) => info.status)).toEqual(["KILLED", "KILLED"]);

    a.checkpoint(5);
    await a.finish();
    await b.fail("diverged before round 5");
    const page = join(folder, "report.html");
    writeFileSync(page, "<html></html>");
    const rows = [0, 1, 5].map((round) => ({
      run_id: "a",
      round,
      excess_error: 2 * round,
      reference_error: 0.5,
      d_theta: 0.25,
    })) as SeedRecord[];
    for (const sent of [1, 0])
      expect(await sendRuns(tracker, optionsFor(folder), { rows, report: { study: "a study", page } })).toBe(
        sent,
      );

    const [first, second, report, ...others] = await runsOf("a study");
    expect(others).toEqual([]);
    expect([first, second, report].map(({ info }) => [info.run_name, info.status])).toEqual([
      ["a", "FINISHED"],
      ["b", "FAILED"],
      ["report", "FINISHED"],
    ]);
    const params = Object.fromEntries(first.data.params.map(({ key, value }) => [key, value]));
    expect(params).toMatchObject({ task: "antiderivative", alpha: "100", seed: "0", clients: "2" });
    expect(await history(first, "test_error")).toEqual([0, 1, 5]);
    expect(await history(first, "excess_error")).toEqual([0, 1, 5]);
    expect(await history(first, "partition/d_sol")).toEqual([0]);
    const last = Object.fromEntries(first.data.metrics.map(({ key, value }) => [key, value]));
    expect(last).toMatchObject({
      test_error: 1 / 6,
      train_loss: 1 / 3,
      d_theta: 0.25,
      training_seconds: 1.5,
    });
    expect(last).toMatchObject({ "client_test_error/0": 0.5, client_update_mean: 0.5, participants: 1 });
    expect(second.data.tags).toContainEqual({ key: "failure", value: "diverged before round 5" });
    expect(first.info.start_time).toBe(Date.parse("2026-01-01T00:00:00.000Z"));
    const file = first.info.artifact_uri.replace(
      "mlflow-artifacts:",
      `${url}/api/2.0/mlflow-artifacts/artifacts`,
    );
    expect(await (await fetch(`${file}/run.json`)).text()).toBe(
      readFileSync(join(a.folder, "run.json"), "utf8"),
    );
    expect(await (await fetch(`${file}/model.onnx`)).text()).toBe("onnx");
    expect(notices).toEqual([]);
  }, 120_000);

  it("has one experiment where five processes ask for it at once", async () => {
    const signal = new AbortController().signal;
    const asked = Array.from({ length: 5 }, async (_, i) => {
      const tracker = await choice("at once").open(signal);
      await tracker.begin(sampleTrackedRun({ id: `run ${i}` }));
    });
    await Promise.all(asked);
    expect(await runsOf("at once")).toHaveLength(5);
  }, 120_000);

  it("takes a run with more metrics, settings and letters than one request may have", async () => {
    const tracker = await choice("big").open(new AbortController().signal);
    const params = Object.fromEntries(
      Array.from({ length: 230 }, (_, i) => [`setting-${i} (a: b)`, "x".repeat(9000)]),
    );
    const run = sampleTrackedRun({ params, facts: { note: "y".repeat(9000), "odd:key": "ü" } });
    await tracker.begin(run);
    const metrics = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`client_test_error/${i}`, i]));
    const points = Array.from({ length: 12 }, (_, round) => ({
      round,
      time: run.started + round,
      metrics: { test_error: 1, ...metrics },
    }));
    await tracker.log(run, points);
    const [kept] = await runsOf("big");
    expect(kept.data.params).toHaveLength(230);
    expect(await history(kept, "client_test_error/199")).toHaveLength(12);
  }, 120_000);

  it("with a deleted experiment of that name is refused with the way out", async () => {
    const tracker = await choice("to delete").open(new AbortController().signal);
    await tracker.begin(sampleTrackedRun());
    const id = await experimentOf("to delete");
    await call("/experiments/delete", { experiment_id: id });
    await expect(choice("to delete").open(new AbortController().signal)).rejects.toThrow(
      `experiment "to delete" was deleted in MLflow: \`mlflow experiments restore --experiment-id ${id}\``,
    );
  }, 120_000);

  it("is told from another server at that address", async () => {
    await expect(
      mlflow.choose(`${url}/else`, { folder: "x", studies: ["x"] }).open(new AbortController().signal),
    ).rejects.toThrow("answers, but not as an MLflow server does: is the address complete?");
  }, 120_000);
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
