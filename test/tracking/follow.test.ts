import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/errors.js";
import { lockFolder } from "../../src/files/lock/folder-lock.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { TURNS, takeTurn } from "../../src/tracking/folder-turn.js";
import { follow } from "../../src/tracking/follow.js";
import { followedRuns } from "../../src/tracking/followed-run.js";
import { sendRuns } from "../../src/tracking/send.js";
import { RunRefused, TrackerDown } from "../../src/tracking/tracker.js";
import { growingRun } from "./growing-run.js";
import { memoryTracker } from "./memory-tracker.js";
import { freshFolders } from "./tracked-folder.js";

const fresh = freshFolders();

/** Follows a folder with short pauses; warnings are kept. */
function following(folder: string, tracker = memoryTracker()) {
  const warnings: string[] = [];
  const options = { ...optionsFor(folder), onWarning: (message: string) => void warnings.push(message) };
  return { tracker, warnings, options, following: follow(tracker.choice, options) };
}

const optionsFor = (folder: string) => ({
  folder,
  runs: () => followedRuns(folder, { studyOf: () => "tiny", facts: { git_commit: "abc" } }),
  interval: 5,
  onWarning: () => {},
});

async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !isTrue(); i++) await pause(5);
  expect(isTrue()).toBe(true);
}

describe("runs that are followed while they are trained", () => {
  it("are sent line by line, and ended as they end", async () => {
    const folder = fresh();
    const [a, b] = [growingRun(folder, "a"), growingRun(folder, "b")];
    const { tracker, warnings, following: followed } = following(folder);
    await a.begin();
    a.checkpoint(0);
    await until(() => tracker.rounds("a").length === 1);
    a.checkpoint(1, true); // half a line is not there yet
    await b.begin();
    b.checkpoint(0);
    await until(() => tracker.rounds("b").length === 1);
    expect(tracker.rounds("a")).toEqual([0]);
    await b.fail("diverged before round 1");
    await until(() => tracker.runs.get("b")?.end !== undefined);
    const outcome = await followed.finish();
    expect(outcome).toMatchObject({ sent: 2, unsent: { checkpoints: 0, runs: 0 }, reason: undefined });
    expect(tracker.runs.get("a")!.end).toMatchObject({ status: "killed", round: 0 });
    expect(tracker.runs.get("b")!.end).toMatchObject({
      status: "failed",
      message: "diverged before round 1",
    });
    expect(warnings).toEqual([]);
    const { run, points } = tracker.runs.get("a")!;
    expect(run).toMatchObject({ study: "tiny", attempt: "pde-dirichlet 0.1.0 onnx" });
    expect(run.params).toMatchObject({
      task: "antiderivative",
      alpha: 100,
      seed: 0,
      clients: 2,
      strategy: "fedavg",
    });
    expect(run.facts).toMatchObject({ git_commit: "abc", model: "deeponet, 3 parameters" });
    expect(points[0].metrics).toMatchObject({
      test_error: 1,
      h_g_norm: 0.25,
      "partition/d_sol": 1,
      client_error_mean: 0.5,
    });
    expect(points[0].metrics).not.toHaveProperty("partition/input_w1"); // it was not measured
  });

  it("are not ended as killed while somebody works on them", async () => {
    const folder = fresh();
    const a = growingRun(folder, "a");
    await a.begin();
    a.checkpoint(0);
    const lock = await lockFolder(a.folder);
    const { tracker, following: followed } = following(folder);
    await followed.finish();
    await lock.release();
    expect(tracker.rounds("a")).toEqual([0]);
    expect(tracker.runs.get("a")!.end).toBeUndefined();
  });

  it("go on in a second call without a line twice", async () => {
    const folder = fresh();
    const a = growingRun(folder, "a");
    await a.begin();
    a.checkpoint(0);
    const { tracker, following: first } = following(folder);
    await first.finish();
    a.checkpoint(1);
    await a.finish();
    const { following: second } = following(folder, tracker);
    expect(await second.finish()).toMatchObject({ sent: 1 });
    expect(tracker.rounds("a")).toEqual([0, 1]);
    expect(tracker.runs.get("a")!.end).toMatchObject({
      status: "finished",
      metrics: { training_seconds: 1.5 },
    });
    expect(await following(folder, tracker).following.finish()).toMatchObject({ sent: 0 });
    expect(tracker.rounds("a")).toEqual([0, 1]);
  });

  it("leave nothing in a folder in which no run began", async () => {
    const folder = fresh();
    const { tracker, following: followed } = following(folder);
    await pause(20);
    await followed.finish();
    expect(readdirSync(folder)).toEqual([]);
    expect(tracker.calls).toEqual([]);
  });

  it("have times that ascend with the rounds, from the start of the run", async () => {
    const folder = fresh();
    const a = growingRun(folder, "a");
    const started = new Date(Date.now() - 60_000).toISOString();
    await a.begin({ started });
    for (const round of [0, 10, 20]) a.checkpoint(round);
    const { tracker, following: followed } = following(folder);
    await followed.finish();
    const times = tracker.runs.get("a")!.points.map(({ time }) => time - Date.parse(started));
    expect(times[0]).toBe(0);
    expect(times[1]).toBeCloseTo(30_000, -3);
    expect(times[2]).toBeCloseTo(60_000, -3);
  });
});

describe("a tracker that is down", () => {
  it("is tried again and gets everything, after one warning", async () => {
    const folder = fresh();
    const a = growingRun(folder, "a");
    const { tracker, warnings, following: followed } = following(folder);
    let failures = 0;
    tracker.fault = (call) => {
      if (call !== "open" && failures++ < 3) throw new TrackerDown("cannot be reached (connection refused)");
    };
    await a.begin();
    a.checkpoint(0);
    await until(() => tracker.rounds("a").length === 1);
    a.checkpoint(1);
    expect(await followed.finish()).toMatchObject({ sent: 2, unsent: { checkpoints: 0 }, reason: undefined });
    expect(tracker.rounds("a")).toEqual([0, 1]);
    expect(warnings).toEqual([
      "memory cannot be reached (connection refused): training continues, and what is missing is sent later",
    ]);
  });

  it("asks what it has after every failure, so that nothing is there twice", async () => {
    const folder = fresh();
    const a = growingRun(folder, "a");
    await a.begin();
    a.checkpoint(0);
    const { tracker, following: followed } = following(folder);
    let isLost = true;
    tracker.fault = (call) => {
      if (call !== "log a" || !isLost) return;
      isLost = false;
      tracker.runs.get("a")!.points.push({ round: 0, time: 0, metrics: { test_error: 1 } }); // kept, but the answer is lost
      throw new TrackerDown("did not answer within 10 s");
    };
    await until(() => tracker.rounds("a").length === 1);
    await followed.finish();
    expect(tracker.rounds("a")).toEqual([0]);
  });

  it("is given up at the end, which says how many checkpoints it lacks and why", async () => {
    const folder = fresh();
    const [a, b] = [growingRun(folder, "a"), growingRun(folder, "b")];
    for (const run of [a, b]) {
      await run.begin();
      run.checkpoint(0);
      run.checkpoint(1);
    }
    const { tracker, warnings, options, following: followed } = following(folder);
    await until(() => tracker.rounds("b").length === 2);
    tracker.fault = () => {
      throw new TrackerDown("answers with error 503");
    };
    b.checkpoint(2);
    await until(() => warnings.length > 0);
    expect(await followed.finish()).toMatchObject({
      unsent: { checkpoints: 1, runs: 1 },
      reason: "memory answers with error 503",
    });
    expect(existsSync(join(folder, TURNS))).toBe(false);
    await expect(sendRuns(tracker.choice, { ...options, interval: 1 })).rejects.toThrow(
      "memory answers with error 503: 5 checkpoints of 2 runs are left; run the same command again",
    );
    tracker.fault = undefined;
    expect(await sendRuns(tracker.choice, options)).toBe(1);
    expect(tracker.rounds("b")).toEqual([0, 1, 2]);
  });

  it("that never answers is left after the patience for the end", async () => {
    const folder = fresh();
    const a = growingRun(folder, "a");
    await a.begin();
    a.checkpoint(0);
    const tracker = memoryTracker();
    const choice = {
      ...tracker.choice,
      open: (signal: AbortSignal) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener("abort", () => reject(new TrackerDown("did not answer in time")));
        }),
    };
    const followed = follow(choice, optionsFor(folder));
    const began = performance.now();
    expect(await followed.finish({ patience: 50 })).toMatchObject({ unsent: { checkpoints: 1, runs: 1 } });
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it("whose disk is full is one too", async () => {
    const folder = fresh();
    const a = growingRun(folder, "a");
    await a.begin();
    a.checkpoint(0);
    const { tracker, warnings, following: followed } = following(folder);
    tracker.fault = () => {
      throw new UserError("cannot write tb: the disk is full");
    };
    await until(() => warnings.length === 1);
    expect(await followed.finish()).toMatchObject({ reason: "cannot write tb: the disk is full" });
  });

  it("that refuses one run gets the others, and that is said once", async () => {
    const folder = fresh();
    for (const id of ["a", "b"]) {
      const run = growingRun(folder, id);
      await run.begin();
      run.checkpoint(0);
    }
    const { tracker, warnings, following: followed } = following(folder);
    tracker.fault = (call) => {
      if (call === "log a") throw new RunRefused("the run is deleted");
    };
    await until(() => tracker.rounds("b").length === 1);
    const { unsent } = await followed.finish();
    expect(unsent).toEqual({ checkpoints: 1, runs: 1 });
    expect(warnings).toEqual(["memory refuses run a: the run is deleted"]);
  });
});

describe("several processes that follow one folder", () => {
  it("take turns, so that one of them sends all runs", async () => {
    const folder = fresh();
    const a = growingRun(folder, "a");
    await a.begin();
    a.checkpoint(0);
    const endTurn = await takeTurn(folder, "memory"); // as another process has it
    const { tracker, warnings, options, following: followed } = following(folder);
    await pause(50);
    await expect(sendRuns(tracker.choice, options)).rejects.toThrow(
      `process ${process.pid} sends the runs of ${folder} there: wait for it`,
    );
    expect(await following(folder, tracker).following.finish()).toMatchObject({ unsent: { checkpoints: 0 } });
    expect([tracker.calls, warnings]).toEqual([[], []]);
    await endTurn();
    await until(() => tracker.rounds("a").length === 1);
    await followed.finish();
  });
});

describe("the end of a study", () => {
  it("adds comparisons with the reference once, and the report", async () => {
    const folder = fresh();
    const a = growingRun(folder, "a");
    await a.begin();
    for (const round of [0, 1]) a.checkpoint(round);
    await a.finish();
    const rows = [0, 1].map((round) => ({
      run_id: "a",
      round,
      excess_error: 2 * round,
      reference_error: 0.5,
      d_theta: Number.NaN,
    })) as SeedRecord[];
    const closing = { rows: [...rows, ...rows], report: { study: "tiny", page: "report.html" } };
    const { tracker, options, following: followed } = following(folder);
    await followed.finish(closing);
    await sendRuns(tracker.choice, options, closing);
    expect(tracker.rounds("a", "excess_error")).toEqual([0, 1]);
    expect(tracker.rounds("a", "d_theta")).toEqual([]);
    expect(tracker.rounds("a")).toEqual([0, 1]);
    expect(tracker.files).toEqual(["report.html", "report.html"]);
  });
});
