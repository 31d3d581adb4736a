import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, type Outcome } from "../cli/command.js";
import { runHashes } from "../studies/run-hashes.js";
import { type Cluster, MOST_TASKS, processesOfTask, startCluster, whyNoSlurm } from "./cluster.js";

const why = whyNoSlurm();
const MINUTE = 60_000;

/** Twenty short runs. */
const TINY = `name: tiny
tasks: [{ task: antiderivative, train: 64, test: 16 }]
alphas: [100, 0.1]
seeds: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
federation: { clients: 3, rounds: 12, local_steps: 2, batch: 16 }
partition: { bins: 4, min_size: 4 }
`;
/** Two runs that one core trains for some ten seconds each. */
const LONG = (rounds: number) => `name: long
tasks: [{ task: antiderivative, train: 200, test: 50 }]
alphas: [100, 0.1]
seeds: [0, 1]
federation: { clients: 5, rounds: ${rounds} }
`;

describe.skipIf(why)(`studies on a real Slurm${why ? ` (skipped: ${why})` : ""}`, () => {
  let cluster: Cluster;
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-slurm-"));
  const path = (name: string) => join(folder, name);
  const run = (...words: string[]) =>
    new Promise<Outcome>((resolve) => {
      const env = { ...cluster.environment, PDE_DIRICHLET_CACHE: path("cache"), PDE_DIRICHLET_CUDA: "" };
      execFile(process.execPath, [BIN, ...words], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
    });
  const json = async (...words: string[]) => {
    const { status, stdout, stderr } = await run(...words, "--json");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    return JSON.parse(stdout);
  };
  const status = (out: string) => json("status", out);
  const statesOf = async (out: string): Promise<string[]> =>
    (await status(out)).parts.map(({ state }: { state: string }) => state);
  const logs = (out: string) =>
    readdirSync(path(`${out}/jobs/logs`))
      .map((name) => readFileSync(path(`${out}/jobs/logs/${name}`), "utf8"))
      .join("\n");
  const finished = async (out: string) => {
    const { runs } = await status(out);
    return runs.filter(({ state }: { state: string }) => state === "finished").length;
  };
  /** Waits until every run is finished and no job is left. */
  const allDone = async (out: string) => {
    await expect
      .poll(async () => new Set(await statesOf(out)), { timeout: 3 * MINUTE, interval: 500 })
      .toEqual(new Set(["finished"]));
    await expect.poll(() => cluster.slurm("squeue", "--noheader"), { timeout: MINUTE }).toBe("");
  };
  const alone = async (study: string, out: string) => {
    const made = await run("study", study, "--out", out, "--quiet");
    expect(made.stderr).toBe("");
    return runHashes(path(out));
  };

  beforeAll(async () => {
    cluster = await startCluster();
    writeFileSync(path("tiny.yaml"), TINY);
  }, MINUTE);
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    "are cut into more parts than an array may have, train on two nodes, and have the bits of one machine",
    async () => {
      const parts = 2 * MOST_TASKS - 1;
      const words = ["submit", "tiny.yaml", "--out", "tiny", "--parts", `${parts}`, "--cpus", "1"];
      const printed = await run(...words, "--print");
      expect(printed.stdout).toMatch(/^#!\/bin\/bash\n#SBATCH --job-name=tiny\n/);
      expect(printed.stdout).toMatch(
        /# sbatch --array=1-3 \S+\/1\.sh 0\n# sbatch --array=1-2 \S+\/1\.sh 3\n$/,
      );
      expect(existsSync(path("tiny"))).toBe(false);
      const submitted = await json(...words);
      expect(submitted).toMatchObject({ parts, missing: parts, finished: 0, under_way: 0 });
      expect(submitted.jobs.length).toBe(2);
      expect((await status("tiny")).parts.length).toBe(parts);
      await allDone("tiny");
      expect(await finished("tiny")).toBe(20);
      expect(new Set(logs("tiny").match(/on node-[ab]/g) ?? []).size).toBeLessThanOrEqual(2);
      expect(runHashes(path("tiny"))).toEqual(await alone("tiny.yaml", "alone"));
      for (const name of ["records.parquet", "report.html"]) {
        expect(existsSync(path(`tiny/${name}`)), name).toBe(true); // by the part that ended last
      }
      expect(readFileSync(path("tiny/records.csv"), "utf8")).toBe(
        readFileSync(path("alone/records.csv"), "utf8"),
      );
      const again = await run(...words);
      expect(again.stdout).toBe(`Nothing to submit: of ${parts} parts, ${parts} finished.\n`);
      expect((await run("cancel", "tiny")).stdout).toBe("No job waits or runs.\n");
    },
    5 * MINUTE,
  );

  it(
    "whose job is killed are lost, and submitted again to the same bits; of two who submit at once one does",
    async () => {
      writeFileSync(path("long.yaml"), LONG(1500));
      const words = [
        "submit",
        "long.yaml",
        "--out",
        "killed",
        "--parts",
        "2",
        "--cpus",
        "1",
        "--save-every",
        "0.2",
      ];
      const both = await Promise.all([json(...words), json(...words)]);
      expect(both.map(({ missing }) => missing).sort()).toEqual([0, 2]);
      const [job] = both.find(({ jobs }) => jobs.length > 0)!.jobs;
      const started = () =>
        readdirSync(path("killed/runs")).filter((id) => existsSync(path(`killed/runs/${id}/state.npz`)))
          .length;
      await expect.poll(() => existsSync(path("killed/runs")) && started(), { timeout: MINUTE }).toBe(2);
      for (const pid of processesOfTask(job, 2)) process.kill(pid, "SIGKILL");
      await expect.poll(() => statesOf("killed"), { timeout: MINUTE }).toContain("lost");
      const shown = await run("status", "killed");
      expect(shown.stdout).toMatch(/2 parts: .*1 lost \(2\/2\)/);
      const repeated = await json(...words);
      expect(repeated).toMatchObject({ parts: 2, missing: 1 });
      await allDone("killed");
      expect(runHashes(path("killed"))).toEqual(await alone("long.yaml", "long"));
    },
    5 * MINUTE,
  );

  it(
    "save their runs before the time is over, go back into the queue, and end with the same bits",
    async () => {
      writeFileSync(path("limit.yaml"), LONG(4000).replace("long", "limit"));
      // Slurm's shortest limit is a minute; the signal comes early, so that little is computed.
      const words = ["--parts", "1", "--cpus", "1", "--time", "1", "--", "--signal=B:USR2@50"];
      const submitted = await run("submit", "limit.yaml", "--out", "limit", ...words);
      const [, job] = /as job (\d+)\n/.exec(submitted.stdout)!;
      const begun = Date.now();
      for (let restarts = 0; (await finished("limit")) < 4; ) {
        expect(Date.now() - begun).toBeLessThan(5 * MINUTE);
        const [state] = cluster
          .slurm("squeue", "--noheader", "--format=%T %r", `--jobs=${job}`)
          .trim()
          .split(" ");
        if (
          state === "PENDING" &&
          restarts < (logs("limit").match(/it goes back into the queue/g) ?? []).length
        ) {
          restarts++;
          expect(await statesOf("limit")).toEqual(["queued"]);
          cluster.release(`${job}_1`);
        }
        await pause(500);
      }
      await allDone("limit");
      expect(logs("limit")).toMatch(/The time of this job is nearly over: it goes back into the queue/);
      expect(runHashes(path("limit"))).toEqual(await alone("limit.yaml", "limit-alone"));
    },
    8 * MINUTE,
  );

  it(
    "go on elsewhere when a node is lost",
    async () => {
      writeFileSync(path("node.yaml"), LONG(1500).replace("long", "node"));
      const words = [
        "submit",
        "node.yaml",
        "--out",
        "node",
        "--parts",
        "2",
        "--cpus",
        "2",
        "--save-every",
        "0.2",
      ];
      const [job] = (await json(...words)).jobs;
      const started = () =>
        readdirSync(path("node/runs")).filter((id) => existsSync(path(`node/runs/${id}/state.npz`))).length;
      await expect.poll(() => existsSync(path("node/runs")) && started(), { timeout: MINUTE }).toBe(4);
      await cluster.loseNode("node-b");
      const waiting = () =>
        cluster.slurm("squeue", "--noheader", "--states=PENDING", "--format=%F_%K").trim();
      await expect.poll(waiting, { timeout: MINUTE, interval: 500 }).toMatch(new RegExp(`^${job}_\\d$`));
      cluster.release(waiting());
      await allDone("node");
      expect(runHashes(path("node"))).toEqual(await alone("node.yaml", "node-alone"));
    },
    5 * MINUTE,
  );

  it(
    "end on request with their states saved, and go on when submitted again",
    async () => {
      writeFileSync(path("ended.yaml"), LONG(2000).replace("long", "ended"));
      const words = ["submit", "ended.yaml", "--out", "ended", "--parts", "1", "--cpus", "2"];
      await json(...words);
      const begun = () =>
        existsSync(path("ended/runs")) &&
        readdirSync(path("ended/runs")).filter((id) => existsSync(path(`ended/runs/${id}/journal.jsonl`)))
          .length;
      await expect.poll(begun, { timeout: MINUTE, interval: 100 }).toBe(2);
      expect((await run("cancel", "ended")).stdout).toBe("Cancelled 1 part.\n");
      await expect.poll(() => statesOf("ended"), { timeout: MINUTE }).toEqual(["lost"]);
      const states = readdirSync(path("ended/runs")).filter((id) =>
        existsSync(path(`ended/runs/${id}/state.npz`)),
      );
      expect(states.length).toBe(2);
      expect(await json(...words)).toMatchObject({ parts: 1, missing: 1 });
      await allDone("ended");
      expect(runHashes(path("ended"))).toEqual(await alone("ended.yaml", "ended-alone"));
    },
    3 * MINUTE,
  );

  it("are named where somebody holds their jobs", async () => {
    const words = ["submit", "tiny.yaml", "--out", "held", "--parts", "1", "--", "--hold"];
    expect((await run(...words)).stdout).toMatch(/^Submitted 1 of 1 part as job \d+\n/);
    expect((await run("status", "held")).stdout).toMatch(/1 part: 1 held \(1\/1\)/);
    expect((await run(...words)).stdout).toMatch(/^Nothing to submit: of 1 part, 1 in the queue or running/);
    expect((await run("cancel", "held")).stdout).toBe("Cancelled 1 part.\n");
    expect(await statesOf("held")).toEqual(["lost"]);
  });

  it(
    "are refused in Slurm's own words, and leave nothing behind",
    async () => {
      for (const [words, message] of [
        [["--partition", "nowhere"], /^pde-dirichlet: Slurm: .*invalid partition specified: nowhere/i],
        [["--mem", "lots"], /^pde-dirichlet: Slurm: .*/],
        [["--time", "2h"], /^pde-dirichlet: --time 2h is not a time: take minutes/],
        [["--gpus", "2"], /^pde-dirichlet: a job uses one GPU/],
        [["--parts", "0"], /^pde-dirichlet: --parts is a whole number from 1 on, not 0/],
        [["--", "--no-such-option"], /^pde-dirichlet: Slurm: .*no-such-option/],
      ] as const) {
        const refused = await run("submit", "tiny.yaml", "--out", "refused", ...words);
        expect(refused.status, words.join(" ")).toBe(1);
        expect(refused.stderr).toMatch(message);
        expect(refused.stderr.trim().split("\n").length).toBe(1);
        expect(existsSync(path("refused")), words.join(" ")).toBe(false);
      }
      expect(cluster.slurm("squeue", "--noheader")).toBe("");
    },
    MINUTE,
  );
});
