import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { BIN, workFolder } from "./command.js";

const { folder, path, run } = workFolder();

// A second or two of training for all runs, so that there is time to disturb them.
const YAML = `name: tiny
tasks: [{ task: antiderivative, train: 200, test: 50 }]
alphas: [100, 0.1]
seeds: [0, 1]
federation: { clients: 5, rounds: 100 }
`;

const SIDE_BY_SIDE = ["--replicas", "4", "--save-every", "0.1", "--quiet"];

function start(out: string): ChildProcess {
  const args = [BIN, "study", "tiny.yaml", "--out", out, ...SIDE_BY_SIDE];
  const env = { ...process.env, PDE_DIRICHLET_CACHE: path("cache") };
  return spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
}

const runs = (out: string) => (existsSync(path(`${out}/runs`)) ? readdirSync(path(`${out}/runs`)) : []);
const states = (out: string) => runs(out).filter((id) => existsSync(path(`${out}/runs/${id}/state.npz`)));
const hashes = (out: string) =>
  Object.fromEntries(
    runs(out).map((id) => {
      const { result } = JSON.parse(readFileSync(path(`${out}/runs/${id}/run.json`), "utf8"));
      return [id, result?.parameters_sha256];
    }),
  );

let undisturbed: Record<string, string>;
beforeAll(async () => {
  writeFileSync(path("tiny.yaml"), YAML);
  expect(await run("study", "tiny.yaml", "--out", "whole", ...SIDE_BY_SIDE)).toMatchObject({ status: 0 });
  undisturbed = hashes("whole");
});

describe("study --replicas", () => {
  it("leaves a study like any other", async () => {
    expect(Object.values(undisturbed).filter(Boolean).length).toBe(4);
    expect((await run("verify", "whole")).stdout).toBe("whole: 4 finished runs verified, no problem found\n");
  });

  it("killed, then stopped by Ctrl-C, goes on to the same bits", async () => {
    const killed = start("disturbed");
    await expect.poll(() => states("disturbed").length, { timeout: 20_000 }).toBe(4);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const before = Date.now();
    const stopped = start("disturbed");
    const newer = (id: string) => statSync(path(`disturbed/runs/${id}/state.npz`)).mtimeMs > before;
    await expect.poll(() => states("disturbed").filter(newer).length, { timeout: 20_000 }).toBe(4);
    stopped.kill("SIGINT");
    const [, signal] = await once(stopped, "exit");
    expect(signal).toBe("SIGINT");
    expect(states("disturbed").length).toBe(4);
    const locks = runs("disturbed").filter((id) => existsSync(path(`disturbed/runs/${id}/.lock`)));
    expect(locks).toEqual([]);
    const status = JSON.parse((await run("status", "disturbed", "--json")).stdout);
    expect(status.runs.map(({ state }: { state: string }) => state)).toEqual(new Array(4).fill("begun"));
    const resumed = await run("study", "tiny.yaml", "--out", "disturbed", ...SIDE_BY_SIDE);
    expect(resumed).toMatchObject({ status: 0 });
    expect(hashes("disturbed")).toEqual(undisturbed);
  });

  it.each([
    [["--replicas", "0"], /--replicas is a whole number from 1 on, not 0$/],
    [["--replicas", "4", "--jobs", "2"], /--replicas are batched in one process: leave out --jobs$/],
  ])("says in one line what is wrong with %j", async (args, message) => {
    const { status, stderr } = await run("study", "tiny.yaml", "--out", "x", ...args);
    expect(status).toBe(1);
    expect(stderr.trimEnd()).toMatch(message);
    expect(existsSync(path("x"))).toBe(false);
  });
});
