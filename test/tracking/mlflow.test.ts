import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { OptionError, UserError } from "../../src/errors.js";
import { mlflowAddress } from "../../src/tracking/mlflow/address.js";
import { mlflowClient } from "../../src/tracking/mlflow/client.js";
import { mlflow } from "../../src/tracking/mlflow/mlflow.js";
import { RunRefused, TrackerDown } from "../../src/tracking/tracker.js";
import { fakeMlflow } from "./fake-mlflow.js";
import { freshFolders, point, STARTED, sampleTrackedRun } from "./tracked-folder.js";

const fresh = freshFolders();
const run = sampleTrackedRun();
const server = await fakeMlflow();
const notices: string[] = [];

afterEach(() => {
  server.fault = undefined;
  vi.unstubAllEnvs();
});

const context = (experiment?: string) => ({
  folder: "out/tiny",
  studies: ["tiny"],
  ...(experiment !== undefined && { experiment }),
  onNotice: (message: string) => void notices.push(message),
});
const opened = (experiment?: string, place = server.url) =>
  mlflow.choose(place, context(experiment)).open(new AbortController().signal);
const end = {
  status: "finished",
  time: STARTED + 9,
  metrics: { training_seconds: 9 },
  round: 5,
  files: [],
} as const;

describe("the address of a server", () => {
  it.each([
    ["http://host:5000", "http://host:5000"],
    ["https://host/mlflow/", "https://host/mlflow"],
    ["http://user:secret@host:5000", "http://host:5000"],
    ["http://host:5000/#/experiments/1", "http://host:5000"],
  ])("%s is %s, without credentials and what belongs to the page", (place, base) => {
    expect(mlflowAddress(place, {}).base).toBe(base);
    expect(mlflow.choose(place, context()).words).toBe(`mlflow:${base}`);
  });

  it.each([
    undefined,
    "",
    "localhost:5000",
    "sqlite:///mlflow.db",
    "databricks",
    "http://",
    "file:///tmp/runs",
  ])("%s is refused with an example", (place) => {
    expect(() => mlflowAddress(place, {})).toThrow(OptionError);
    expect(() => mlflowAddress(place, {})).toThrow("mlflow:http://localhost:5000");
  });

  it("is that of MLflow's own variables by default", () => {
    expect(mlflowAddress(undefined, { MLFLOW_TRACKING_URI: "http://host:5000" }).base).toBe(
      "http://host:5000",
    );
  });

  it("brings credentials, or the variables do", () => {
    const of = (place: string, environment = {}) => mlflowAddress(place, environment).authorization;
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
    expect(of("http://host")).toBeUndefined();
    expect(of("http://user:p%40ss@host")).toBe(basic("user:p@ss"));
    const user = { MLFLOW_TRACKING_USERNAME: "u", MLFLOW_TRACKING_PASSWORD: "p" };
    expect(of("http://host", user)).toBe(basic("u:p"));
    expect(of("http://host", { MLFLOW_TRACKING_TOKEN: "t" })).toBe("Bearer t");
    expect(of("http://host", { ...user, MLFLOW_TRACKING_TOKEN: "t" })).toBe(basic("u:p"));
  });
});

describe("a server", () => {
  it("gets the settings, facts and checkpoints of a run, which is found again", async () => {
    const tracker = await opened();
    expect(await tracker.begin(run)).toEqual({ round: -1, compared: -1, status: undefined });
    await tracker.log(run, [point(0), point(1, { d_loc: 0.5 })]);
    expect(await (await opened()).begin(run)).toEqual({ round: 1, compared: -1, status: undefined });
    await tracker.log(run, [point(5)]);
    await tracker.end(run, end);
    await tracker.log(run, [{ round: 5, time: STARTED, metrics: { excess_error: 2 } }]);
    expect(await (await opened()).begin(run)).toEqual({ round: 5, compared: 5, status: "finished" });
    expect(server.runs).toHaveLength(1);
    const [{ params, tags, metrics, status }] = server.runs;
    expect(Object.fromEntries(params)).toEqual({
      task: "burgers",
      alpha: "0.1",
      seed: "0",
      strategy: "fedavg",
      tf32: "false",
    });
    expect(tags.get("mlflow.runName")).toBe(run.id);
    expect(tags.get("device")).toBe("a CPU");
    expect(status).toBe("FINISHED");
    expect(metrics.filter(({ key }) => key === "test_error").map(({ step }) => step)).toEqual([0, 1, 5]);
    expect(metrics.find(({ key }) => key === "d_loc")).toEqual({
      key: "d_loc",
      value: 0.5,
      step: 1,
      timestamp: STARTED + 1000,
    });
  });

  it("gets no more than it takes at once, and never a part of a checkpoint", async () => {
    const big = sampleTrackedRun({
      id: "big",
      params: Object.fromEntries(Array.from({ length: 230 }, (_, i) => [`option ${i}:`, "x".repeat(900)])),
    });
    const tracker = await opened();
    await tracker.begin(big);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`client_test_error/${i}`, i]));
    await tracker.log(
      big,
      [0, 1, 2, 3, 4].map((round) => point(round, many)),
    );
    const kept = server.runs.find(({ tags }) => tags.get("mlflow.runName") === "big")!;
    expect(kept.params.size).toBe(230);
    expect(kept.params.get("option 7_")).toHaveLength(500);
    expect(kept.metrics).toHaveLength(5 * 301);
    const last = server.asked.filter((path) => path.endsWith("log-batch")).length;
    expect(last).toBeGreaterThanOrEqual(5);
  });

  it("has a run of its own for another device, whose bits may differ", async () => {
    const tracker = await opened();
    const other = { ...run, attempt: "pde-dirichlet 0.1.0 cuda" };
    expect(await tracker.begin(other)).toMatchObject({ round: -1 });
    expect(server.runs.filter(({ tags }) => tags.get("mlflow.runName") === run.id)).toHaveLength(2);
  });

  it("takes up a run that was killed, and says how it failed", async () => {
    const own = sampleTrackedRun({ id: "killed" });
    const tracker = await opened();
    await tracker.begin(own);
    await tracker.log(own, [point(0)]);
    await tracker.end(own, { ...end, status: "killed" });
    const again = await opened();
    expect(await again.begin(own)).toMatchObject({ status: "killed", round: 0 });
    await again.log(own, [point(1)]);
    const kept = server.runs.find(({ tags }) => tags.get("mlflow.runName") === "killed")!;
    expect(kept.status).toBe("RUNNING");
    await again.end(own, { ...end, status: "failed", message: "diverged before round 5" });
    expect([kept.status, kept.tags.get("failure")]).toEqual(["FAILED", "diverged before round 5"]);
  });

  it("makes an experiment once, though several processes ask for it at the same time", async () => {
    const asked = Array.from({ length: 5 }, async (_, i) => {
      const tracker = await opened("shared");
      await tracker.begin(sampleTrackedRun({ id: `run ${i}` }));
    });
    await Promise.all(asked);
    const { id } = server.experiments.get("shared")!;
    expect(server.runs.filter(({ experiment }) => experiment === id)).toHaveLength(5);
  });

  it("says what to do about an experiment that was deleted", async () => {
    server.experiments.set("gone", { id: "99", stage: "deleted" });
    await expect(opened("gone")).rejects.toThrow(
      'experiment "gone" was deleted in MLflow: `mlflow experiments restore --experiment-id 99` brings it back, or choose another --experiment',
    );
  });

  it("keeps the files of a run and the report, the same one once", async () => {
    const folder = fresh();
    mkdirSync(join(folder, "runs"));
    const files = ["run.json", "model.onnx", "report.html"].map((name) => join(folder, name));
    for (const file of files) writeFileSync(file, file);
    const own = sampleTrackedRun({ id: "with files" });
    const tracker = await opened("files");
    await tracker.begin(own);
    await tracker.end(own, { ...end, files: [...files.slice(0, 2), join(folder, "left behind")] });
    await tracker.attach!("files", files[2]);
    const names = [...server.files.keys()].map((path) => path.split("/").at(-1));
    expect(names.sort()).toEqual(["model.onnx", "report.html", "run.json"]);
    server.asked.length = 0;
    await (await opened("files")).attach!("files", files[2]);
    expect(server.asked.filter((path) => path.startsWith("PUT"))).toEqual([]);
    expect(notices).toEqual([]);
  });

  it("that takes no files is not asked again, and says so once", async () => {
    const apart = await fakeMlflow({ artifacts: "s3://bucket" });
    const file = join(fresh(), "run.json");
    writeFileSync(file, "{}");
    const tracker = await opened("s3", apart.url);
    for (const id of ["a", "b"]) {
      const own = sampleTrackedRun({ id });
      await tracker.begin(own);
      await tracker.end(own, { ...end, files: [file] });
    }
    await tracker.attach!("s3", file);
    expect(apart.runs.map(({ status }) => status)).toEqual(["FINISHED", "FINISHED"]);
    expect(notices.splice(0)).toHaveLength(1);
  });

  it("whose artefact proxy is switched off takes no files either", async () => {
    server.fault = (path, _, response) => {
      if (!path.includes("mlflow-artifacts")) return false;
      response
        .writeHead(503)
        .end("Endpoint disabled due to the mlflow server running with `--no-serve-artifacts`");
      return true;
    };
    const file = join(fresh(), "run.json");
    writeFileSync(file, "{}");
    const own = sampleTrackedRun({ id: "no proxy" });
    const tracker = await opened("no proxy");
    await tracker.begin(own);
    await tracker.end(own, { ...end, files: [file] });
    expect(notices.splice(0)).toHaveLength(1);
  });
});

describe("a server in trouble", () => {
  const answers = (status: number, body: string, headers = {}) => {
    server.fault = (_, __, response) => {
      response.writeHead(status, headers).end(body);
      return true;
    };
  };

  it.each([
    [401, "", "lets nobody in (401): set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"],
    [403, "Invalid Host header", "lets nobody in (403: Invalid Host header)"],
    [404, "<html>nothing here</html>", "answers, but not as an MLflow server does"],
    [200, "<html>a page</html>", "answers, but not as an MLflow server does"],
    [400, '{"error_code":"INVALID_PARAMETER_VALUE","message":"bad name"}', "bad name"],
  ])("that answers %s is a mistake to mend before training", async (status, body, words) => {
    answers(status, body);
    const error = await opened().catch((error) => error);
    expect(error).toBeInstanceOf(UserError);
    expect(error.message).toContain(words);
    expect(error.message).not.toContain("\n");
  });

  it.each([
    [503, { "retry-after": "7" }, 7],
    [500, {}, undefined],
    [429, { "retry-after": "soon" }, undefined],
  ])("that answers %s is down for a while", async (status, headers, retryAfter) => {
    answers(status, "busy", headers);
    const error = await opened().catch((error) => error);
    expect(error).toBeInstanceOf(TrackerDown);
    expect(error).toMatchObject({ message: `answers with error ${status} (busy)`, retryAfter });
  });

  it("that is not there, or cuts the line, is down", async () => {
    const away = await fakeMlflow();
    await away.down();
    await expect(opened("x", away.url)).rejects.toThrow("cannot be reached (connection refused)");
    await away.listen();
    server.fault = (_, request) => {
      request.socket.destroy();
      return true;
    };
    await expect(opened()).rejects.toThrow(TrackerDown);
    await expect(opened("x", "http://no-such-host.invalid:5000")).rejects.toThrow("no such host");
  });

  it("that does not answer is given up after a while, and at once when the signal says so", async () => {
    server.fault = () => true; // keeps the line open
    const address = mlflowAddress(server.url, {});
    const slow = mlflowClient(address, new AbortController().signal, 100);
    await expect(slow.get("/experiments/get-by-name", {})).rejects.toThrow("did not answer within");
    const stop = new AbortController();
    const stopped = mlflowClient(address, stop.signal).get("/experiments/get-by-name", {});
    setTimeout(() => stop.abort(), 50);
    await expect(stopped).rejects.toThrow("did not answer in time");
  });

  it("that refuses one run says why, and the others go on", async () => {
    const own = sampleTrackedRun({ id: "changed" });
    const tracker = await opened();
    await tracker.begin(own);
    server.fault = (path, _, response) => {
      if (!path.endsWith("log-batch")) return false;
      response.writeHead(400).end('{"error_code":"INVALID_PARAMETER_VALUE","message":"run is deleted"}');
      return true;
    };
    const error = await tracker.log(own, [point(0)]).catch((error) => error);
    expect(error).toBeInstanceOf(RunRefused);
    expect(error.message).toBe("run is deleted");
  });

  it("never finds credentials in what is said", async () => {
    const place = server.url.replace("http://", "http://user:secret@");
    answers(401, "");
    const choice = mlflow.choose(place, context());
    const error = await choice.open(new AbortController().signal).catch((error) => error);
    server.fault = undefined;
    await (await choice.open(new AbortController().signal)).close();
    expect(server.authorizations).toContain(`Basic ${Buffer.from("user:secret").toString("base64")}`);
    for (const text of [error.message, choice.words, choice.look, JSON.stringify(choice)])
      expect(text).not.toContain("secret");
  });
});
