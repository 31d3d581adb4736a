import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventFiles, readEvents } from "../../src/tracking/tensorboard/event-files.js";
import { END_TAG, readEnd } from "../../src/tracking/tensorboard/hparams.js";
import { TINY_YAML } from "../studies/tiny-study.js";
import { fakeMlflow } from "../tracking/fake-mlflow.js";
import { BIN, workFolder } from "./command.js";

const { folder, path, run } = workFolder();
const server = await fakeMlflow();
const CHECKPOINTS = [0, 1, 5, 10, 12];

/** Steps of a tag in the event files of a run. */
async function stepsOf(events: string, tag = "test_error"): Promise<number[]> {
  const files = await eventFiles(events);
  const all = await Promise.all(files.map((name) => readEvents(join(events, name))));
  return all.flat().flatMap(({ step, tags }) => (tags.has(tag) ? [step] : []));
}

const runsIn = (out: string) => readdirSync(path(`${out}/runs`)).sort();
const bits = (out: string) =>
  runsIn(out).map((id) =>
    ["journal.jsonl", "parameters.safetensors", "model.onnx"].map((name) =>
      readFileSync(path(`${out}/runs/${id}/${name}`), "base64"),
    ),
  );
const oneLine = (text: string) => text.trimEnd().split("\n");

beforeAll(async () => {
  writeFileSync(path("tiny.yaml"), TINY_YAML);
  expect(await run("study", "tiny.yaml", "--out", "plain", "--jobs", "1", "--quiet")).toMatchObject({
    status: 0,
  });
}, 120_000);

describe("study --track", () => {
  it("logs every run to all trackers, and trains the same bits", async () => {
    const address = server.url.replace("http://", "http://me:secret@");
    const { status, stderr, stdout } = await run(
      ...["study", "tiny.yaml", "--out", "tracked", "--jobs", "1"],
      ...["--track", "tensorboard", "--track", `mlflow:${address}`],
    );
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.not.stringContaining("warning") });
    expect(stderr).toContain("Tracking: tensorboard --logdir tracked/tensorboard\n");
    expect(stderr).toContain(`Tracking: ${server.url}\n`);
    expect(bits("tracked")).toEqual(bits("plain"));
    for (const id of runsIn("tracked")) {
      expect(await stepsOf(path(`tracked/tensorboard/${id}`))).toEqual(CHECKPOINTS);
      expect(await stepsOf(path(`tracked/tensorboard/${id}`), "d_theta")).toEqual(CHECKPOINTS);
    }
    const runs = server.runs.filter(({ tags }) => tags.get("mlflow.runName") !== "report");
    expect(runs.map(({ status }) => status)).toEqual(new Array(4).fill("FINISHED"));
    expect(server.experiments.has("tiny")).toBe(true);
    expect([...server.files.keys()].filter((name) => name.endsWith("report.html"))).toHaveLength(1);
    // Neither what is printed nor what is written has the password.
    const written = readdirSync(path("tracked"), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(json|jsonl|md|html|csv)$/.test(name))
      .map((name) => readFileSync(path(`tracked/${name}`), "utf8"));
    for (const text of [stdout, stderr, ...written]) expect(text).not.toContain("secret");
    expect(readFileSync(path("tracked/studies/tiny.json"), "utf8")).toContain(`--track mlflow:${server.url}`);
  }, 120_000);

  it("trains on while a tracker is down, and says how to send what is missing", async () => {
    const away = await fakeMlflow();
    await away.down();
    const down = `mlflow:${away.url}`;
    const { status, stderr } = await run(
      ...["study", "tiny.yaml", "--out", "down", "--jobs", "1", "--quiet", "--track", down],
    );
    expect(status).toBe(0);
    expect(bits("down")).toEqual(bits("plain"));
    const reason = `${down} cannot be reached (connection refused)`;
    expect(oneLine(stderr)).toEqual([
      `pde-dirichlet: warning: ${reason}: training starts without it, and it is tried again`,
      `pde-dirichlet: warning: ${reason}: training continues, and what is missing is sent later`,
      `pde-dirichlet: warning: 20 checkpoints of 4 runs could not be sent (${reason}). ` +
        `Send them later: pde-dirichlet track down --track ${down}`,
    ]);
    const late = await run("track", "down", "--track", down);
    expect(late.status).toBe(1);
    expect(oneLine(late.stderr)).toEqual([
      `pde-dirichlet: ${reason}: 20 checkpoints of 4 runs are left; run the same command again`,
    ]);
    await away.listen();
    expect(await run("track", "down", "--track", down, "--quiet")).toEqual({
      status: 0,
      stdout: `4 runs in ${down}: 20 checkpoints sent\n`,
      stderr: "",
    });
    const before = away.runs.map(({ metrics }) => metrics.length);
    expect((await run("track", "down", "--track", down, "--quiet")).stdout).toBe(
      `4 runs in ${down}: nothing new\n`,
    );
    expect(away.runs.map(({ metrics }) => metrics.length)).toEqual(before);
  }, 180_000);

  it("does not wait for a tracker that takes the connection and never answers", async () => {
    const silent: Server = createServer(() => {}).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const { port } = silent.address() as { port: number };
    const began = performance.now();
    const { status, stderr } = await run(
      ...["train", "antiderivative", "--alpha", "1", "--train", "64", "--test", "8", "--clients", "2"],
      ...[
        "--bins",
        "2",
        "--rounds",
        "1",
        "--out",
        "silent",
        "--quiet",
        "--track",
        `mlflow:http://127.0.0.1:${port}`,
      ],
    );
    silent.close();
    expect(status).toBe(0);
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(stderr).toContain("did not answer in time: training starts without it");
    expect(stderr).toContain("2 checkpoints of 1 run could not be sent");
  }, 120_000);

  it("goes on with a study that was killed, and logs no checkpoint twice", async () => {
    const args = [
      ...["study", "tiny.yaml", "--out", "killed", "--jobs", "1", "--save-every", "0", "--quiet"],
      ...["--set", "federation.rounds=400", "--track", "tensorboard:tb"],
    ];
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: folder,
      env: { ...process.env, HOME: path("home"), PDE_DIRICHLET_CACHE: path("cache") },
      stdio: "ignore",
    });
    const gone = new Promise((resolve) => child.once("exit", resolve));
    await logged(path("tb"), child);
    child.kill("SIGKILL");
    await gone;
    const before = await stepsOf(
      path(`tb/${readdirSync(path("tb")).find((name) => !name.includes("tfevents"))}`),
    );
    expect(before.length).toBeGreaterThan(0);
    expect(await run(...args)).toMatchObject({ status: 0, stderr: "" });
    for (const id of runsIn("killed")) {
      const steps = await stepsOf(path(`tb/${id}`));
      expect(steps).toEqual([0, 1, 5, 10, 20, 50, 100, 200, 400]);
    }
  }, 180_000);

  it("says after Ctrl-C that runs were killed, which are taken up later", async () => {
    const args = [
      ...["study", "tiny.yaml", "--out", "stopped", "--jobs", "1", "--quiet"],
      ...["--set", "federation.rounds=100000", "--set", "seeds=[0]", "--track", "tensorboard:stopped-tb"],
    ];
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: folder,
      env: { ...process.env, HOME: path("home"), PDE_DIRICHLET_CACHE: path("cache") },
      stdio: "ignore",
    });
    const gone = new Promise<NodeJS.Signals | null>((resolve) =>
      child.once("exit", (_, signal) => resolve(signal)),
    );
    await logged(path("stopped-tb"), child);
    child.kill("SIGINT");
    expect(await gone).toBe("SIGINT");
    const [id] = readdirSync(path("stopped-tb")).filter((name) => !name.includes("tfevents"));
    const files = await eventFiles(path(`stopped-tb/${id}`));
    const events = await readEvents(path(`stopped-tb/${id}/${files.at(-1)}`));
    const end = events.map(({ tags }) => tags.get(END_TAG)).find((content) => content !== undefined);
    expect(readEnd(end!)).toBe("killed");
    expect(existsSync(path("stopped/.tracking"))).toBe(false);
  }, 120_000);

  /** Waits until a run has a checkpoint in the event files. */
  async function logged(events: string, child: ChildProcess): Promise<void> {
    for (let tries = 0; tries < 1000; tries++) {
      const names = existsSync(events) ? readdirSync(events) : [];
      const runs = names.filter((name) => !name.includes("tfevents"));
      for (const id of runs) if ((await stepsOf(join(events, id))).length > 0) return;
      expect(child.exitCode).toBeNull();
      await pause(50);
    }
    throw new Error("no run was logged");
  }
});

describe("track", () => {
  it("sends what a study left, of finished and unfinished runs, and again nothing", async () => {
    cpSync(path("plain"), path("copied"), { recursive: true });
    const [first] = runsIn("copied");
    // As a run that was killed before its last checkpoint.
    const record = path(`copied/runs/${first}/run.json`);
    const { status: _, result: __, sha256: ___, ...begun } = JSON.parse(readFileSync(record, "utf8"));
    const { ownDigest } = await import("../../src/records/own-digest.js");
    const running = { ...begun, status: "running" };
    writeFileSync(record, JSON.stringify({ ...running, sha256: await ownDigest(running) }));
    const journal = path(`copied/runs/${first}/journal.jsonl`);
    writeFileSync(journal, readFileSync(journal, "utf8").split("\n").slice(0, 3).join("\n"));
    for (const name of ["arrays.npz", "parameters.safetensors", "model.onnx"])
      rmSync(path(`copied/runs/${first}/${name}`));

    const sent = await run("track", "copied", "--track", "tensorboard", "--json", "--quiet");
    expect(sent).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(sent.stdout)).toEqual([{ tracker: "tensorboard", runs: 4, checkpoints: 17 }]);
    expect(await stepsOf(path(`copied/tensorboard/${first}`))).toEqual([0, 1]); // the third line is half written
    const other = runsIn("copied").at(-1)!;
    expect(await stepsOf(path(`copied/tensorboard/${other}`))).toEqual(CHECKPOINTS);
    expect(await stepsOf(path(`copied/tensorboard/${other}`), "excess_error")).toEqual(CHECKPOINTS);
    const again = await run("track", "copied", "--track", "tensorboard", "--quiet");
    expect(again).toEqual({ status: 0, stdout: "4 runs in tensorboard: nothing new\n", stderr: "" });
    expect(await stepsOf(path(`copied/tensorboard/${other}`))).toEqual(CHECKPOINTS);
  }, 120_000);

  it("names another experiment where it is asked to", async () => {
    const to = ["--track", `mlflow:${server.url}`, "--experiment", "mine"];
    expect(await run("track", "plain", ...to, "--quiet")).toMatchObject({ status: 0 });
    const { id } = server.experiments.get("mine")!;
    expect(server.runs.filter(({ experiment }) => experiment === id)).toHaveLength(5); // and the report
  });
});

describe("a mistake", () => {
  const usage = "--track takes tensorboard[:folder] or mlflow:http://host:port";
  it.each([
    [["track", "plain"], `say where: --track tensorboard[:folder] or mlflow:http://host:port`],
    [
      ["track", "nowhere", "--track", "tensorboard"],
      "nowhere has no runs: is it the --out of `study` or `train`?",
    ],
    [["track", "plain", "--track", "wandb"], `${usage}, not wandb; W&B imports TensorBoard folders`],
    [["track", "plain", "--track", "W&B"], `${usage}, not W&B; W&B imports TensorBoard folders`],
    [["track", "plain", "--track", "csv"], `${usage}, not csv`],
    [["track", "plain", "--track", ""], `${usage}, not nothing`],
    [["track", "plain", "--track", "http://me:secret@host"], `${usage}, not http`],
    [["track", "plain", "--track", "mlflow"], "--track mlflow needs the address of a server"],
    [
      ["track", "plain", "--track", "mlflow:sqlite:///x.db"],
      "takes the address of a server, such as mlflow:http://",
    ],
    [
      ["track", "plain", "--track", "tensorboard", "--track", "tensorboard"],
      "--track tensorboard is given twice",
    ],
    [["track", "plain", "--track", "tensorboard:tiny.yaml/x"], "tiny.yaml is a file, not a folder"],
    [
      ["study", "tiny.yaml", "--out", "new", "--experiment", "x"],
      "names the experiment of a tracker: add --track",
    ],
    [["study", "tiny.yaml", "--out", "new", "--track", "nothing"], `${usage}, not nothing`],
    [["train", "antiderivative", "--alpha", "1", "--track", "tensorboard"], "--track needs --out"],
    [
      ["train", "antiderivative", "--alpha", "1", "--tensorboard"],
      "here it is --track (tensorboard[:folder], which W&B",
    ],
    [["study", "tiny.yaml", "--out", "new", "--log-dir", "x"], "here it is --track"],
    [["tensorboard"], "`track <folder> --track tensorboard` logs runs that were trained"],
  ])("%j is one line", async (args, words) => {
    const { status, stderr } = await run(...args);
    expect([status, oneLine(stderr)]).toEqual([1, [expect.stringContaining(words)]]);
    expect(stderr).not.toContain("secret");
    expect(existsSync(path("new"))).toBe(false);
  });

  it("such as a wrong password is told before anything is trained", async () => {
    server.fault = (_, __, response) => {
      response.writeHead(401).end();
      return true;
    };
    afterAll(() => {
      server.fault = undefined;
    });
    const address = server.url.replace("http://", "http://me:wrong@");
    const { status, stderr } = await run(
      "study",
      "tiny.yaml",
      "--out",
      "new",
      "--track",
      `mlflow:${address}`,
      "--quiet",
    );
    expect([status, oneLine(stderr)]).toEqual([
      1,
      [expect.stringContaining(`mlflow:${server.url} lets nobody in (401): set MLFLOW_TRACKING_USERNAME`)],
    ]);
    expect(stderr).not.toContain("wrong");
    expect(existsSync(path("new"))).toBe(false);
  });
});
