import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { lockFolder, lockHolder } from "../../src/files/folder-lock.js";

const root = mkdtempSync(join(tmpdir(), "lock-"));
afterAll(() => rmSync(root, { recursive: true }));
const fresh = () => mkdtempSync(join(root, "case-"));
const holder = (pid: number, more: object = {}) =>
  JSON.stringify({ pid, host: hostname(), started: null, ...more });

describe("a folder's lock", () => {
  it("is taken, refused to others, and let go without a trace", async () => {
    const folder = join(fresh(), "not/yet");
    const release = await lockFolder(folder);
    expect(await lockHolder(folder)).toMatchObject({ pid: process.pid });
    await expect(lockFolder(folder)).rejects.toThrow(
      new RegExp(`^${folder} is in use by process ${process.pid}: wait for it, or choose another --out`),
    );
    await release();
    expect(readdirSync(folder)).toEqual([]);
    expect(await lockHolder(folder)).toBeUndefined();
  });

  it("is given to one of many who ask at once", async () => {
    const stale = holder(spawnSync(process.execPath, ["-e", "0"]).pid);
    for (let repeat = 0; repeat < 60; repeat++) {
      const folder = fresh();
      writeFileSync(join(folder, ".lock"), stale);
      const asked = await Promise.allSettled(Array.from({ length: 12 }, () => lockFolder(folder)));
      expect(asked.filter(({ status }) => status === "fulfilled").length).toBe(1);
      expect(readdirSync(folder)).toEqual([".lock"]);
    }
  });

  it("is rid of what processes left that were killed as they asked for it", async () => {
    const folder = fresh();
    const gone = holder(spawnSync(process.execPath, ["-e", "0"]).pid);
    writeFileSync(join(folder, ".lock.1"), gone);
    writeFileSync(join(folder, ".lock.break"), gone);
    writeFileSync(join(folder, ".lock.2"), holder(process.pid));
    writeFileSync(join(folder, ".lock.3"), "");
    const release = await lockFolder(folder);
    await release();
    expect(readdirSync(folder).sort()).toEqual([".lock.2", ".lock.3"]);
  });

  it("is taken over from a process that is gone, or whose number another one has now", async () => {
    for (const stale of [
      holder(spawnSync(process.execPath, ["-e", "0"]).pid),
      holder(process.ppid, { started: "1" }),
      "half a li",
    ]) {
      const folder = fresh();
      writeFileSync(join(folder, ".lock"), stale);
      await (await lockFolder(folder))();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it("stays with a process on another machine", async () => {
    const folder = fresh();
    writeFileSync(join(folder, ".lock"), holder(1, { host: "elsewhere" }));
    await expect(lockFolder(folder)).rejects.toThrow(/in use by process 1 on elsewhere.*delete .*\.lock/);
    expect(readFileSync(join(folder, ".lock"), "utf8")).toContain("elsewhere");
  });

  it("is waited for by those who have patience", async () => {
    const folder = fresh();
    const other = spawn(process.execPath, ["-e", "setTimeout(() => {}, 300)"]);
    await once(other, "spawn");
    writeFileSync(join(folder, ".lock"), holder(other.pid!));
    await (await lockFolder(folder, { patience: 20 }))();
  });
});
