import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { joinWork } from "../../src/studies/parts/workers.js";
import { runHashes } from "../studies/run-hashes.js";
import { TINY_YAML } from "../studies/tiny-study.js";
import { BIN, workFolder } from "./command.js";

const { folder, path, run } = workFolder();
/** Seconds of training, so that it can be killed on the way. */
const LONG_YAML = TINY_YAML.replace("tiny", "long").replace("rounds: 12", "rounds: 3000");
const MINUTE = 60_000;

/** What a cluster would have in a task's environment. */
function started(words: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
  const env = { ...process.env, HOME: path("home"), PDE_DIRICHLET_CACHE: path("cache"), ...environment };
  return spawn(process.execPath, [BIN, ...words], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

async function ended(child: ChildProcess): Promise<{ code: number | null; text: string }> {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (some) => (text += some));
  const [code] = await once(child, "close");
  return { code, text };
}

/** Processes that a process has started and that are alive. */
function childrenOf(parent: number): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8");
      return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]) === parent ? [Number(name)] : [];
    } catch {
      return []; // it has ended
    }
  });
}

const status = async (out: string) => JSON.parse((await run("status", out, "--json")).stdout);
const states = async (out: string): Promise<string[]> =>
  (await status(out)).parts.map(({ part, state }: { part: string; state: string }) => `${part} ${state}`);

beforeAll(async () => {
  writeFileSync(path("tiny.yaml"), TINY_YAML);
  writeFileSync(path("long.yaml"), LONG_YAML);
  const alone = await run("study", "tiny.yaml", "--out", "alone", "--quiet");
  expect(alone).toMatchObject({ status: 0, stderr: "" });
});

describe("a study in parts", () => {
  it("has the records of one process, however many train in its folder at once", async () => {
    const parts = ["1/3", "2/3", "3/3"].map((part) =>
      ended(started(["study", "tiny.yaml", "--out", "parts", "--part", part])),
    );
    const whole = ended(started(["study", "tiny.yaml", "--out", "parts"]));
    for (const { code, text } of await Promise.all([...parts, whole])) expect(code, text).toBe(0);
    expect(runHashes(path("parts"))).toEqual(runHashes(path("alone")));
    for (const name of ["records.csv", "tables/comparison-alpha.csv"].filter((one) =>
      existsSync(path(`alone/${one}`)),
    ))
      expect(readFileSync(path(`parts/${name}`), "utf8"), name).toBe(
        readFileSync(path(`alone/${name}`), "utf8"),
      );
    expect(existsSync(path("parts/report.html"))).toBe(true);
    expect(await states("parts")).toEqual(["1/3 finished", "2/3 finished", "3/3 finished"]);
    const locks = readdirSync(path("parts"), { recursive: true }).filter((name) =>
      `${name}`.includes(".lock"),
    );
    expect(locks).toEqual([]);
  });

  it.each([
    [
      "SLURM_ARRAY_TASK_ID",
      {
        SLURM_ARRAY_TASK_ID: "2",
        SLURM_ARRAY_TASK_MIN: "1",
        SLURM_ARRAY_TASK_MAX: "2",
        SLURM_ARRAY_TASK_COUNT: "2",
      },
      "auto",
    ],
    ["PBS_ARRAY_INDEX", { PBS_ARRAY_INDEX: "2" }, "auto/2"],
    ["LSB_JOBINDEX", { LSB_JOBINDEX: "2", LSB_JOBINDEX_END: "2" }, "auto"],
    ["JOB_COMPLETION_INDEX", { JOB_COMPLETION_INDEX: "1" }, "auto/2"],
  ])("takes its part from %s", async (name, environment, part) => {
    const out = `auto-${name}`;
    const { code, text } = await ended(
      started(["study", "tiny.yaml", "--out", out, "--part", part], environment),
    );
    expect(code, text).toBe(0);
    expect(text).toMatch(/2 of 2 runs/);
    expect(await states(out)).toEqual(["1/2 waiting", "2/2 finished"]);
    expect(existsSync(path(`${out}/records.parquet`))).toBe(false); // half of the runs are missing
  });

  it("can be shown and reported while it grows", async () => {
    expect((await run("study", "tiny.yaml", "--out", "growing", "--part", "1/2", "--quiet")).status).toBe(0);
    const shown = await run("status", "growing");
    expect(shown.stdout).toMatch(/2 parts: 1 finished, 1 waiting\n/);
    const report = await run("report", "growing");
    expect(report).toMatchObject({ status: 0 });
    expect(readFileSync(path("growing/report.md"), "utf8")).toMatch(
      /Under way.*2 parts: 1 finished, 1 waiting/,
    );
    expect((await run("study", "tiny.yaml", "--out", "growing", "--part", "2/2", "--quiet")).status).toBe(0);
    expect(runHashes(path("growing"))).toEqual(runHashes(path("alone")));
    expect(readFileSync(path("growing/records.csv"), "utf8")).toBe(
      readFileSync(path("alone/records.csv"), "utf8"),
    );
  });

  it("waits for a sign of life where nobody can look up who held it last, as when a pod starts again", async () => {
    mkdirSync(path("pod/parts/1-of-1"), { recursive: true });
    const lock = path("pod/parts/1-of-1/.lock");
    const gone = { pid: 1, host: "controlled-0", machine: "another", started: "5", token: "t" };
    writeFileSync(lock, JSON.stringify(gone));
    const lately = Date.now() / 1000 - 597;
    utimesSync(lock, lately, lately);
    const { status, stderr } = await run("study", "tiny.yaml", "--out", "pod", "--part", "1/1");
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining(
        "pod was last trained by process 1 on controlled-0: waiting up to 11 minutes for a sign of life\n",
      ),
    ]);
    expect(runHashes(path("pod"))).toEqual(runHashes(path("alone")));
  });

  it.skipIf(!existsSync("/proc/self/stat"))(
    "saves its runs where a cluster signals all its processes at once",
    async () => {
      const words = [
        "study",
        "tiny.yaml",
        "--set",
        "federation.rounds=20000",
        "--out",
        "ended",
        "--part",
        "1/1",
      ];
      const child = started([...words, "--jobs", "2"]);
      const end = ended(child);
      const runs = () => (existsSync(path("ended/runs")) ? readdirSync(path("ended/runs")) : []);
      const has = (file: string) =>
        runs().filter((id) => existsSync(path(`ended/runs/${id}/${file}`))).length;
      await expect.poll(() => has("journal.jsonl"), { timeout: MINUTE, interval: 50 }).toBe(2);
      const all = [child.pid!, ...childrenOf(child.pid!)];
      expect(all.length).toBeGreaterThan(2);
      for (const pid of all) process.kill(pid, "SIGTERM");
      expect((await end).text).toMatch(/Stopped after 0 of 4 runs/);
      expect(has("state.npz")).toBe(2);
      expect(has("failure.json")).toBe(0);
      expect(await states("ended")).toEqual(["1/1 stopped"]);
    },
    MINUTE,
  );

  it("is refused to a second process while a first one works on it", async () => {
    const leave = await joinWork(path("held"), { part: { index: 1, of: 2 }, runs: [] });
    const second = await run("study", "tiny.yaml", "--out", "held", "--part", "1/2");
    await leave();
    expect(second.status).toBe(1);
    expect(second.stderr).toBe(
      `pde-dirichlet: part 1/2 of held is in the hands of process ${process.pid}: wait for it, or take another part\n`,
    );
    expect(existsSync(path("held/studies"))).toBe(false);
  });

  it(
    "that is killed is lost, and goes on to the same bits",
    async () => {
      const words = ["study", "long.yaml", "--out", "killed", "--save-every", "0.1"];
      const child = started([...words, "--part", "1/2"]);
      const end = ended(child);
      const isSaved = () =>
        existsSync(path("killed/runs")) &&
        readdirSync(path("killed/runs")).some((id) => existsSync(path(`killed/runs/${id}/state.npz`)));
      await expect.poll(isSaved, { timeout: MINUTE, interval: 50 }).toBe(true);
      child.kill("SIGKILL");
      await end;
      await expect.poll(() => states("killed"), { timeout: MINUTE }).toEqual(["1/2 lost", "2/2 waiting"]);
      expect((await run("status", "killed")).stdout).toMatch(/2 parts: 1 waiting, 1 lost \(1\/2\)/);
      const rest = await Promise.all([run(...words, "--part", "1/2"), run(...words, "--part", "2/2")]);
      expect(rest.map((one) => one.status)).toEqual([0, 0]);
      expect((await run("study", "long.yaml", "--out", "long")).status).toBe(0);
      expect(runHashes(path("killed"))).toEqual(runHashes(path("long")));
    },
    3 * MINUTE,
  );

  it.each([
    [["--part", "4/3"], /^pde-dirichlet: --part 4\/3 is part 4\/3: parts go from 1 to 3\n$/],
    [["--part", "third"], /^pde-dirichlet: --part third is not i\/n from 1\/n to n\/n, auto or auto\/n\n$/],
    [["--part", "auto"], /^pde-dirichlet: --part auto needs a task of a job array/],
  ])("is refused in one line: %s", async (words, message) => {
    const refused = await run("study", "tiny.yaml", "--out", "refused", ...words);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(message);
    expect(refused.stderr.trim().split("\n").length).toBe(1);
    expect(existsSync(path("refused"))).toBe(false);
  });

  it("warns where runs and their references were trained on other devices", async () => {
    mkdirSync(path("mixed"), { recursive: true });
    expect((await run("study", "tiny.yaml", "--out", "mixed", "--quiet")).status).toBe(0);
    const { ownDigest } = await import("../../src/records/own-digest.js");
    const [id] = readdirSync(path("mixed/runs")).filter((name) => name.includes("alpha-0.1"));
    const record = path(`mixed/runs/${id}/run.json`);
    const told = JSON.parse(readFileSync(record, "utf8"));
    const other = { ...told, hardware: { ...told.hardware, backend: "cuda", gpu: "Some GPU" } };
    writeFileSync(record, JSON.stringify({ ...other, sha256: await ownDigest(other) }));
    expect((await run("report", "mixed")).status).toBe(0);
    expect(readFileSync(path("mixed/report.md"), "utf8")).toMatch(
      /One run was trained on another kind of device than the reference \(on Some GPU, the reference on /,
    );
  });
});
