import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { TINY_YAML } from "../studies/tiny-study.js";
import { BIN, type Outcome, workFolder } from "./command.js";

const { folder, path } = workFolder();
writeFileSync(path("tiny.yaml"), TINY_YAML);

/** Commands of a cluster that keep what they were asked; `answers` are shell scripts by name. */
function cluster(answers: Readonly<Record<string, string>> = {}): void {
  const scripts: Record<string, string> = {
    scontrol: `echo "MaxArraySize            = 3"`,
    squeue: `cat "${path("queue")}" 2>/dev/null; true`,
    sbatch: `echo $(( $(cat "${path("asked")}" | grep -c '^sbatch') + 100 ))`,
    scancel: "true",
    ...answers,
  };
  rmSync(path("bin"), { recursive: true, force: true });
  mkdirSync(path("bin"));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path(`bin/${name}`), `#!/bin/sh\necho "${name} $*" >> "${path("asked")}"\n${script}\n`);
    chmodSync(path(`bin/${name}`), 0o755);
  }
}

const run = (words: readonly string[], PATH = [path("bin"), process.env.PATH].join(delimiter)) =>
  new Promise<Outcome>((resolve) => {
    const env = { ...process.env, PATH, HOME: path("home"), PDE_DIRICHLET_CACHE: path("cache") };
    execFile(process.execPath, [BIN, ...words], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
const submit = (...words: string[]) => run(["submit", "tiny.yaml", "--out", "out", ...words]);
const asked = (name: string) =>
  (existsSync(path("asked")) ? readFileSync(path("asked"), "utf8") : "")
    .split("\n")
    .filter((line) => line.startsWith(`${name} `));

beforeEach(() => {
  for (const name of ["asked", "queue", "out"]) rmSync(path(name), { recursive: true, force: true });
  cluster();
});

describe("submit", () => {
  it("submits several arrays where one is too short, keeps their numbers, and says what comes next", async () => {
    const { status, stdout } = await submit("--parts", "3", "--array-limit", "4");
    expect(status).toBe(0);
    expect(stdout).toBe(
      [
        "Submitted 3 of 3 parts as jobs 101, 102",
        `Script: ${path("out/jobs/1.sh")}`,
        "Look:   pde-dirichlet status out --watch",
        "End:    pde-dirichlet cancel out",
        "",
      ].join("\n"),
    );
    expect(asked("sbatch")).toEqual([
      `sbatch --parsable --array=1-2%2 ${path("out/jobs/1.sh")} 0`,
      `sbatch --parsable --array=1%2 ${path("out/jobs/1.sh")} 2`,
    ]);
    expect(JSON.parse(readFileSync(path("out/jobs/1.json"), "utf8"))).toMatchObject({
      scheduler: "slurm",
      parts: 3,
      arrays: [
        { job: "101", offset: 0, parts: [1, 2] },
        { job: "102", offset: 2, parts: [3] },
      ],
    });
  });

  it("submits what is neither finished nor in the queue, and cancels what is", async () => {
    await submit("--parts", "2");
    writeFileSync(path("queue"), "101 2 PENDING Priority\n");
    expect((await run(["status", "out"])).stdout).toMatch(/2 parts: 1 queued, 1 lost \(1\/2\)/);
    const again = await submit();
    expect(again.stdout).toMatch(/^Submitted 1 of 2 parts as job 102 \(1 in the queue or running\)\n/);
    expect(asked("sbatch").at(-1)).toMatch(/--array=1 /);
    writeFileSync(path("queue"), "101 2 PENDING JobHeldUser\n102 1 RUNNING None\n");
    expect((await run(["status", "out"])).stdout).toMatch(/2 parts: 1 running, 1 held \(2\/2\)/);
    expect((await run(["cancel", "out"])).stdout).toBe("Cancelled 2 parts.\n");
    expect(asked("scancel")).toEqual(["scancel 101", "scancel 102"]);
  });

  it("leaves nothing in the queue where one of several arrays is refused", async () => {
    cluster({
      sbatch: `if grep -q '^sbatch.* 2$' "${path("asked")}"; then echo "sbatch: error: QOSMaxSubmitJobPerUserLimit" >&2; exit 1; fi; echo 7`,
    });
    const { status, stderr } = await submit("--parts", "3");
    expect(status).toBe(1);
    expect(stderr).toBe("pde-dirichlet: Slurm: QOSMaxSubmitJobPerUserLimit\n");
    expect(asked("scancel")).toEqual(["scancel 7"]);
    expect(existsSync(path("out"))).toBe(false);
  });

  it("submits nothing that it could not remember, where the folder cannot be written any more", async () => {
    cluster({ sbatch: `rm -rf "${path("out/jobs")}"; echo x > "${path("out/jobs")}"; echo 7` });
    const { status, stderr } = await submit("--parts", "1");
    expect(status).toBe(1);
    expect(stderr.trim().split("\n").length).toBe(1);
    expect(asked("scancel")).toEqual(["scancel 7"]);
  });

  it("refuses another cut while jobs of the first are in the queue", async () => {
    await submit("--parts", "2");
    writeFileSync(path("queue"), "101 1 RUNNING None\n");
    const { status, stderr } = await submit("--parts", "4");
    expect(status).toBe(1);
    expect(stderr).toBe(
      "pde-dirichlet: out has jobs in the queue that cut it into 2 parts: leave --parts out, or cancel them first\n",
    );
  });

  it("says in status that the queue cannot be asked, and does not call parts lost then", async () => {
    await submit("--parts", "2");
    cluster({ squeue: `echo "squeue: error: Unable to contact slurm controller" >&2; exit 1` });
    const { stdout, stderr } = await run(["status", "out"]);
    expect(stdout).toMatch(/2 parts: 2 waiting\n/);
    expect(stderr).toMatch(/the queue cannot be asked: .*Unable to contact slurm controller/);
  });

  it("takes over cores and GPUs, and passes on the options of study", async () => {
    const { stdout } = await submit(
      "--gpus",
      "1",
      "--save-every",
      "5",
      "--set",
      "federation.rounds=3",
      "--print",
    );
    expect(stdout).toMatch(/#SBATCH --gpus=1\n/);
    expect(stdout).toMatch(
      /\nexec \S+ \S+ study tiny.yaml --out \S+ --device cuda --save-every 5 --set federation.rounds=3 --part "\$PART\/1"\n/,
    );
    expect(existsSync(path("out"))).toBe(false);
  });

  it("estimates and prints without Slurm, and says what it assumes", async () => {
    const bare = path("bare");
    mkdirSync(bare, { recursive: true });
    const words = ["submit", "tiny.yaml", "--out", "out"];
    const reckoned = await run([...words, "--dry-run", "--time", "1"], bare);
    expect(reckoned).toMatchObject({ status: 0, stderr: "" });
    expect(reckoned.stdout).toMatch(
      /^Runs left: +4, in 1 of 1 part\nTraining: .* of one core\nLongest part: .* on 4 cores\nMemory: .* a job, at most\nDisk: /,
    );
    const printed = await run([...words, "--print"], bare);
    expect(printed.stderr).toBe(
      "pde-dirichlet: warning: MaxArraySize is taken to be 1001, since Slurm's scontrol is not on this machine: use a login node of the cluster\n",
    );
    const refused = await run(words, bare);
    expect(refused).toMatchObject({
      status: 1,
      stderr: "pde-dirichlet: Slurm's scontrol is not on this machine: use a login node of the cluster\n",
    });
    expect(readdirSync(folder)).not.toContain("out");
  });

  it.each(["--cpus", "--array-limit", "--parts", "--jobs"])("refuses %s 0 in one line", async (flag) => {
    for (const how of ["--dry-run", "--print"]) {
      const { status, stderr } = await submit(flag, "0", how);
      expect([status, stderr]).toEqual([1, `pde-dirichlet: ${flag} is a whole number from 1 on, not 0\n`]);
    }
  });

  it("names a damaged record of what was submitted, and guesses nothing", async () => {
    await submit("--parts", "2");
    writeFileSync(path("out/jobs/1.json"), "{");
    for (const words of [
      ["cancel", "out"],
      ["submit", "tiny.yaml", "--out", "out"],
    ]) {
      const { status, stderr } = await run(words);
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /^pde-dirichlet: out\/jobs\/1.json is damaged: it says which jobs were submitted; [^\n]*\n$/,
      );
    }
  });
});
