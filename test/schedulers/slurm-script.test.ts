import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { JobRequest } from "../../src/schedulers/job-queue.js";
import { batchScript, timeSeconds } from "../../src/schedulers/slurm/batch-script.js";
import { taskRanges } from "../../src/schedulers/slurm/task-ranges.js";

const folder = mkdtempSync(join(tmpdir(), "script-"));
afterAll(() => rmSync(folder, { recursive: true }));

const script = (request: JobRequest, command = "true") =>
  batchScript({ name: "tiny", folder: "/home/a b", logs: "/out/jobs/logs", command, request });
const directives = (request: JobRequest) =>
  script(request)
    .split("\n")
    .filter((line) => line.startsWith("#SBATCH"))
    .map((line) => line.slice("#SBATCH ".length));

describe("the batch script of an array", () => {
  it("asks for what was asked for, and leaves the rest to the cluster", () => {
    expect(directives({})).toEqual([
      "--job-name=tiny",
      '--chdir="/home/a b"',
      "--output=/out/jobs/logs/%A_%a.log",
      "--open-mode=append",
      "--nodes=1",
      "--ntasks=1",
      "--signal=B:USR2@120",
      "--requeue",
    ]);
    const all = { time: "2:00:00", cpus: 4, gpus: 1, memory: "16G", partition: "gpu", account: "lab" };
    for (const asked of [
      "--cpus-per-task=4",
      "--gpus=1",
      "--time=2:00:00",
      "--mem=16G",
      "--partition=gpu",
      "--account=lab",
    ])
      expect(directives(all)).toContain(asked);
  });

  it("passes on options of sbatch, words of one option together", () => {
    expect(directives({ extra: ["-C", "a100&nvlink", "--qos=high"] }).at(-1)).toBe(
      '-C "a100&nvlink" --qos=high',
    );
  });

  it.each([
    [undefined, 120],
    ["1", 20],
    ["4", 60],
    ["2:00:00", 120],
    ["1-0", 120],
    ["UNLIMITED", 120],
  ])("is told of the end early enough to save, but not before it has begun: --time %s", (time, lead) => {
    expect(directives({ time })).toContain(`--signal=B:USR2@${lead}`);
  });

  it("carries out part `task + offset`, ignores SIGUSR2 until the program listens, and is replaced by it", () => {
    const path = join(folder, "job.sh");
    const listen = `"${process.execPath}" -e 'console.log(process.env.PART_TEXT, process.ppid)' --`;
    writeFileSync(path, script({}, `env PART_TEXT="$PART/8" ${listen}`));
    const env = { ...process.env, SLURM_ARRAY_TASK_ID: "3" };
    const part = (...words: string[]) =>
      spawnSync("bash", [path, ...words], { env, encoding: "utf8" }).stdout;
    expect(part("100")).toMatch(new RegExp(`^103/8 ${process.pid}\n$`)); // its parent is ours: no shell waits
    expect(part()).toMatch(/^3\/8 /);
    const ignored = `kill -USR2 $$; echo "lives"`;
    writeFileSync(path, script({}, `bash -c '${ignored}'`));
    expect(spawnSync("bash", [path], { env, encoding: "utf8" }).stdout).toBe("lives\n");
  });
});

describe("a time limit", () => {
  it.each([
    ["90", 5400],
    ["1:30", 90],
    ["2:00:00", 7200],
    ["1-12", 129_600],
    ["1-12:30", 131_400],
    ["1-0:0:5", 86_405],
  ])("is read as sbatch reads it: %s", (text, seconds) => {
    expect(timeSeconds(text)).toBe(seconds);
  });

  it.each(["2h", "", "1:2:3:4", "0", "-5", "00:00:00"])(
    "is refused in one line where it is none: %s",
    (text) => {
      expect(() => timeSeconds(text)).toThrow(/^--time .* is (not a time: take|no time at all)/);
    },
  );
});

describe("numbers of tasks", () => {
  it("are ranges where they follow each other", () => {
    expect(taskRanges([1, 2, 3, 5, 9, 10])).toBe("1-3,5,9-10");
    expect(taskRanges([7])).toBe("7");
  });

  it("name every task once, in any order", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), (tasks) => {
        const named = taskRanges(tasks)
          .split(",")
          .flatMap((range) => {
            const [first, last = first] = range.split("-").map(Number);
            return Array.from({ length: last - first + 1 }, (_, i) => first + i);
          });
        expect(named).toEqual([...tasks].sort((a, b) => a - b));
      }),
    );
  });
});
