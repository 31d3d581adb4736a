import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { stream } from "../../src/random/stream.js";
import { BIN, workFolder } from "./command.js";

const { folder, path, run } = workFolder();

// A second or two of training a run, so that there is time to disturb it.
const YAML = `name: tiny
title: A tiny study
tasks: [{ task: antiderivative, train: 200, test: 50 }]
alphas: [100, 0.1]
seeds: [0]
federation: { clients: 5, rounds: 200 }
`;

const hashes = (out: string) =>
  Object.fromEntries(
    readdirSync(path(`${out}/runs`)).map((id) => [
      id,
      JSON.parse(readFileSync(path(`${out}/runs/${id}/run.json`), "utf8")).result?.parameters_sha256,
    ]),
  );

/** Starts a study, which saves its state every few rounds. */
function start(out: string): ChildProcess {
  const args = [BIN, "study", "tiny.yaml", "--out", out, "--jobs", "2", "--save-every", "0.05", "--quiet"];
  const env = { ...process.env, PDE_DIRICHLET_CACHE: path("cache") };
  return spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** Processes that hold runs of a study. */
function workers(out: string): number[] {
  const runs = existsSync(path(`${out}/runs`)) ? readdirSync(path(`${out}/runs`)) : [];
  return runs.flatMap((id) => {
    const lock = path(join(out, "runs", id, ".lock"));
    return existsSync(lock) ? [JSON.parse(readFileSync(lock, "utf8")).pid as number] : [];
  });
}

const states = (out: string) =>
  readdirSync(path(`${out}/runs`)).filter((id) => existsSync(path(`${out}/runs/${id}/state.npz`)));

let undisturbed: Record<string, string>;
beforeAll(async () => {
  writeFileSync(path("tiny.yaml"), YAML);
  const made = await run("study", "tiny.yaml", "--out", "whole", "--json");
  expect(made).toMatchObject({ status: 0 });
  expect(JSON.parse(made.stdout)).toMatchObject({ study: "tiny", runs: 2 });
  undisturbed = hashes("whole");
});

describe("study", () => {
  it("shows how far it is and what came out", async () => {
    const again = await run("study", "tiny.yaml", "--out", "whole");
    expect(again.stderr).toMatch(/^Study tiny: 2 of 2 runs finished/);
    expect(again.stdout).toMatch(/Antiderivative +0\.1 +1 /);
    expect(again.stdout).toMatch(
      /Report: {2}whole\/report.html\nRecords: whole\/records.parquet\nStudio: {2}(npx )?pde-dirichlet studio whole\n$/,
    );
    expect(readFileSync(path("whole/report.html"), "utf8")).toContain(
      "pde-dirichlet study tiny.yaml --out whole",
    );
  });

  it("says in its help where every field is described", async () => {
    const [, page] = /^This page describes every field of the YAML:\n(.*)$/m.exec(
      (await run("study", "--help")).stdout,
    )!;
    expect(readFileSync(page, "utf8")).toMatch(/^# Studies in YAML/);
  });

  it("takes several studies in one command, and makes runs that they share once", async () => {
    const [first, ...rest] = YAML.split("\n");
    writeFileSync(path("more.yaml"), [first.replace("tiny", "more"), ...rest].join("\n"));
    const both = await run("study", "tiny.yaml", "more.yaml", "--out", "both", "--json");
    expect(both.stderr).toMatch(/^Studies tiny, more: 2 of 2 runs finished/m); // after progress, on a busy machine
    expect(JSON.parse(both.stdout)).toMatchObject({ study: "tiny, more", runs: 2 });
    expect(hashes("both")).toEqual(undisturbed);
  });

  it("can be reported on before it has written its table", async () => {
    const table = readFileSync(path("whole/records.csv"), "utf8");
    for (const name of ["records.csv", "records.parquet"]) rmSync(path(`whole/${name}`));
    expect(await run("report", "whole")).toMatchObject({ status: 0 });
    expect(readFileSync(path("whole/records.csv"), "utf8")).toBe(table);
  });

  it("has its table made again by report where that is damaged, and says so in one line", async () => {
    const table = readFileSync(path("whole/records.parquet"));
    writeFileSync(path("whole/records.parquet"), Buffer.from(table).fill(0x15, 300, 500));
    const verified = await run("verify", "whole", "--quiet");
    expect(verified).toMatchObject({ status: 1, stdout: expect.stringMatching(/is a damaged Parquet file/) });
    expect(verified.stdout.trim().split("\n")).toHaveLength(1);
    const { status, stderr } = await run("report", "whole", "--quiet");
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^pde-dirichlet: warning: whole\/records.parquet is a damaged .*: rebuilding the table from the runs\n$/,
    );
    expect(readFileSync(path("whole/records.parquet"))).toEqual(table);
  });

  it("killed at any moment, goes on to the same bits", async () => {
    const random = stream(7, "kill");
    let kills = 0;
    for (let attempt = 0; attempt < 4; attempt++) {
      const study = start("killed");
      const ended = once(study, "exit");
      await Promise.race([pause(600 + 1200 * random.uniform()), ended]);
      if (study.exitCode !== null) break;
      const held = workers("killed");
      // Now the study alone, whose workers end by themselves, now a worker alone, now all of them.
      const victims = [[study.pid!], held.slice(0, 1), [study.pid!, ...held]][attempt % 3];
      for (const pid of victims) {
        try {
          process.kill(pid, "SIGKILL");
          kills++;
        } catch {} // it has just ended
      }
      await ended;
    }
    expect(kills).toBeGreaterThan(0);
    expect(await run("study", "tiny.yaml", "--out", "killed", "--quiet")).toMatchObject({ status: 0 });
    expect(hashes("killed")).toEqual(undisturbed);
    expect(await run("verify", "killed", "--quiet")).toMatchObject({ status: 0 });
  });

  it("stopped by Ctrl-C, saves its states, ends its processes and goes on", async () => {
    const study = start("stopped");
    await expect.poll(() => workers("stopped").length, { timeout: 20_000 }).toBe(2);
    const held = workers("stopped");
    await pause(300);
    study.kill("SIGINT");
    const [, signal] = await once(study, "exit");
    expect(signal).toBe("SIGINT");
    for (const pid of held) await expect.poll(() => isRunning(pid)).toBe(false);
    expect(states("stopped").length).toBe(2);
    expect(existsSync(path("stopped/.lock"))).toBe(false);
    const status = JSON.parse((await run("status", "stopped", "--json")).stdout);
    expect(status.runs.map(({ state }: { state: string }) => state)).toEqual(["begun", "begun"]);
    expect((await run("status", "stopped")).stdout).toMatch(/0 of 2 runs finished; no process is running\n$/);
    expect(await run("study", "tiny.yaml", "--out", "stopped", "--quiet")).toMatchObject({ status: 0 });
    expect(hashes("stopped")).toEqual(undisturbed);
  });

  it("saves its states when its terminal goes away, and goes on", async () => {
    const study = start("hung-up");
    await expect.poll(() => workers("hung-up").length, { timeout: 20_000 }).toBe(2);
    await pause(300);
    study.kill("SIGHUP");
    const [, signal] = await once(study, "exit");
    expect(signal).toBe("SIGHUP");
    expect(states("hung-up").length).toBe(2);
    expect(existsSync(path("hung-up/.lock"))).toBe(false);
    // A bit of one of the states changes meanwhile: that run begins again, and says so.
    const state = path(`hung-up/runs/${states("hung-up")[0]}/state.npz`);
    const bytes = readFileSync(state);
    bytes[bytes.length >> 1] ^= 1;
    writeFileSync(state, bytes);
    const { status, stderr } = await run("study", "tiny.yaml", "--out", "hung-up", "--quiet", "--jobs", "2");
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^pde-dirichlet: warning: run \S+ restarts from round 0: \S+ is damaged: its checksum is wrong\n$/,
    );
    expect(hashes("hung-up")).toEqual(undisturbed);
  });

  it("works beside another one in the same folder, to the same bits", async () => {
    const study = start("shared");
    const ended = once(study, "exit");
    await expect.poll(() => workers("shared").length, { timeout: 20_000 }).toBeGreaterThan(0);
    const second = await run("study", "tiny.yaml", "--out", "shared", "--quiet");
    expect(second).toMatchObject({ status: 0, stderr: "" });
    expect(await ended).toEqual([0, null]);
    expect(hashes("shared")).toEqual(undisturbed);
    expect(existsSync(path("shared/workers"))).toBe(false);
  });

  it.each([
    [
      ["study", "nope", "--out", "x"],
      /there is no study "nope"; name a YAML file or one of clients, controlled/,
    ],
    [
      ["study", "wrong.yaml", "--out", "x"],
      /wrong.yaml:2: federation.rounds is a whole number from 1 on, not -3$/,
    ],
    [["study", "tiny.yaml", "--out", "x", "--set", "seeds=two"], /--set seeds=two: seeds is a list of seeds/],
    [["study", "tiny.yaml", "./tiny.yaml", "--out", "x"], /two of the studies have the name tiny/],
    [["study", "tiny.yaml", "rough.yaml", "--out", "x", "--device", "cpu"], /TF32 needs a GPU/],
    [
      ["study", "tiny.yaml", "rough.yaml", "--out", "x", "--set", "federation.clients=150"],
      /^pde-dirichlet: tiny.yaml: --set federation.clients=150: 200 samples cannot give 150 clients/,
    ],
    [
      ["study", "many.yaml", "--out", "x"],
      /^pde-dirichlet: many.yaml:6: federation.clients: 200 samples cannot give 600 clients/,
    ],
    [
      ["study", "below/lost.yaml", "--out", "x"],
      /^pde-dirichlet: below\/lost.yaml:2: tasks.0.data: cannot read below\/lost.h5: no such file.* \(\/.*\/below\/lost.h5\)$/,
    ],
    [
      [
        "study",
        "tiny.yaml",
        "--out",
        "x",
        "--set",
        "federation={strategy: centralised, local_epochs: [1, 2]}",
      ],
      /--set federation=.*: centralised takes as many steps as one client, .* give local_steps in place of local_epochs$/,
    ],
    [["study", "tiny.yaml", "--out", "x", "--jobs", "0"], /--jobs is a whole number from 1 on, not 0/],
    [["study", "tiny.yaml", "--out", "tiny.yaml"], /tiny.yaml is a file, not a folder/],
    [
      ["study", "tiny.yaml", "--out", "whole", "--set", "federation.rounds=7"],
      /^pde-dirichlet: whole holds study tiny with different options \(federation\.rounds is 7, was 200\): choose another --out$/,
    ],
    [["status", "nowhere"], /nowhere holds no study/],
    [["verify", "nowhere"], /nowhere holds no study/],
  ])("says in one line what is wrong with %j", async (args, message) => {
    writeFileSync(path("wrong.yaml"), "name: q\nfederation: { rounds: -3 }\ntasks: [{ task: burgers }]\n");
    writeFileSync(path("rough.yaml"), `${YAML.replace("tiny", "rough")}tf32: true\n`);
    writeFileSync(path("many.yaml"), YAML.replace("clients: 5", "clients: 600"));
    mkdirSync(path("below"), { recursive: true });
    writeFileSync(path("below/lost.yaml"), "name: lost\ntasks: [{ task: darcy, data: lost.h5 }]\n");
    const { status, stderr, stdout } = await run(...args);
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^pde-dirichlet: [^\n]*\n$/);
    expect(stderr.trimEnd()).toMatch(message);
    expect(existsSync(path("x"))).toBe(false);
  });
});

describe("a study on a file", () => {
  it("needs it no more when all its runs are finished", async () => {
    mkdirSync(path("own"));
    const sizes = ["--train", "200", "--test", "50"];
    await run("generate", "antiderivative", "--seed", "3", ...sizes, "--out", "own/data.h5");
    const yaml = YAML.replace("train: 200, test: 50", "data: data.h5").replace("rounds: 200", "rounds: 5");
    writeFileSync(path("own/file.yaml"), yaml);
    const study = () => run("study", "own/file.yaml", "--out", "filed", "--quiet");
    expect(await study()).toMatchObject({ status: 0, stderr: "" });
    const table = readFileSync(path("filed/records.csv"), "utf8");
    rmSync(path("own/data.h5"));
    expect(await study()).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^pde-dirichlet: warning: .*all of which are finished\n$/),
    });
    expect(readFileSync(path("filed/records.csv"), "utf8")).toBe(table);
    rmSync(path(`filed/runs/${readdirSync(path("filed/runs"))[0]}`), { recursive: true });
    expect((await study()).stderr).toMatch(/^pde-dirichlet: own\/file.yaml:3: tasks.0.data: cannot read/);
  });
});

describe("report", () => {
  /** Names and contents of all files below a folder, but for those of runs. */
  const contents = (of: string) =>
    readdirSync(path(of), { recursive: true, encoding: "utf8" })
      .filter((name) => !name.startsWith("runs") && statSync(path(join(of, name))).isFile())
      .map((name) => [name, readFileSync(path(join(of, name)), "utf8")]);

  it("has the title of the study, and says the same of how to make it again as the study did", async () => {
    await run("study", "tiny.yaml", "--out", "whole", "--set", "seeds=[0]");
    const written = readFileSync(path("whole/report.md"), "utf8");
    expect(written).toMatch(/^# A tiny study\n/);
    expect(written).toContain(
      "```\npde-dirichlet study tiny.yaml --out whole --set 'seeds=[0]'\npde-dirichlet report whole\n```",
    );
    await run("report", "whole");
    expect(readFileSync(path("whole/report.md"), "utf8")).toBe(written);
    await run("report", "whole", "--title", "Another", "--out", "titled");
    expect(readFileSync(path("titled/report.md"), "utf8")).toMatch(
      /^# Another\n(.*\n)*pde-dirichlet report whole --out titled\n/,
    );
  });

  it("written elsewhere, leaves the study as it is", async () => {
    cpSync(path("whole"), path("left"), { recursive: true });
    rmSync(path("left/records.csv"));
    const before = contents("left");
    expect(await run("report", "left", "--out", "elsewhere")).toMatchObject({ status: 0 });
    expect(contents("left")).toEqual(before);
  });

  it("keeps the records of runs whose folders are gone", async () => {
    cpSync(path("whole"), path("gone"), { recursive: true });
    const table = readFileSync(path("gone/records.csv"), "utf8");
    const [id] = readdirSync(path("gone/runs"));
    rmSync(path(`gone/runs/${id}`), { recursive: true });
    expect(await run("report", "gone")).toMatchObject({ status: 0 });
    const lines = (text: string) => text.split("\n").sort();
    expect(lines(readFileSync(path("gone/records.csv"), "utf8"))).toEqual(lines(table));
    const verified = await run("verify", "gone", "--quiet");
    expect(verified.status).toBe(1);
    expect(verified.stdout).toContain(`records.csv: run ${id}: the table has rows of it, but the run`);
    expect(verified.stderr).toMatch(/ problems? in [01] finished runs?\n$/);
    expect(verified.stderr).not.toContain("1 finished runs");
  });

  it("says of a study without a finished run that there is none", async () => {
    cpSync(path("whole/studies"), path("begun/studies"), { recursive: true });
    expect(await run("report", "begun")).toMatchObject({
      status: 1,
      stderr: "pde-dirichlet: no run of begun is finished yet: there is nothing to report on\n",
    });
  });
});

describe("verify", () => {
  it("lists what is wrong and fails", async () => {
    expect((await run("verify", "whole")).stdout).toBe("whole: 2 finished runs verified, no problem found\n");
    const [id] = readdirSync(path("whole/runs"));
    writeFileSync(path(`whole/runs/${id}/model.onnx`), "another model");
    const found = await run("verify", "whole", "--quiet");
    expect(found.status).toBe(1);
    expect(found.stdout).toMatch(new RegExp(`^run ${id}: model.onnx has changed since it was written`));
    expect(found.stderr).toMatch(/^pde-dirichlet: whole: 1 problem in 2 finished runs\n$/);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
