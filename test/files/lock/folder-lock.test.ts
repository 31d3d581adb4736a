import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { lockFolder, lockHolder } from "../../../src/files/lock/folder-lock.js";

const root = mkdtempSync(join(tmpdir(), "lock-"));
afterAll(() => rmSync(root, { recursive: true }));
const fresh = () => mkdtempSync(join(root, "case-"));
const holder = (pid: number, more: object = {}) =>
  JSON.stringify({ pid, host: hostname(), started: null, ...more });

describe("a folder's lock", () => {
  it("is taken, refused to others, and let go without a trace", async () => {
    const folder = join(fresh(), "not/yet");
    const lock = await lockFolder(folder);
    expect(await lockHolder(folder)).toMatchObject({ pid: process.pid });
    await expect(lockFolder(folder)).rejects.toThrow(
      new RegExp(`^${folder} is in use by process ${process.pid}: wait for it, or choose another --out`),
    );
    await lock.release();
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
    writeFileSync(join(folder, ".lock.3"), ""); // somebody may be about to write it
    for (const [name, text] of [
      [".lock.4", ""],
      [".lock.5", '{"pid": 1'],
    ]) {
      writeFileSync(join(folder, name), text);
      utimesSync(join(folder, name), 1e9, 1e9);
    }
    const lock = await lockFolder(folder);
    await lock.release();
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
      await (await lockFolder(folder)).release();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it("stays with a process on another machine", async () => {
    const folder = fresh();
    writeFileSync(join(folder, ".lock"), holder(1, { host: "elsewhere" }));
    await expect(lockFolder(folder)).rejects.toThrow(/in use by process 1 on elsewhere.*delete .*\.lock/);
    expect(readFileSync(join(folder, ".lock"), "utf8")).toContain("elsewhere");
  });

  it.each([
    ["a link to nowhere", (path: string) => symlinkSync("/nowhere", path)],
    ["a link to itself", (path: string) => symlinkSync(path, path)],
    ["a folder", (path: string) => mkdirSync(path)],
    ["a pipe", (path: string) => spawnSync("mkfifo", [path])],
  ])("is refused at once, with the way out, where it is %s", async (_, make) => {
    const folder = fresh();
    const path = join(folder, ".lock");
    make(path);
    const began = performance.now();
    await expect(lockFolder(folder)).rejects.toThrow(
      `${folder} may be in use by another process: ${path} is not a file; if none is running, delete ${path}`,
    );
    expect(performance.now() - began).toBeLessThan(1000);
    expect(readdirSync(folder)).toEqual([".lock"]);
    expect(await lockHolder(folder)).toBeUndefined();
  });

  it("that cannot be read is waited for no longer than there is patience", async () => {
    const folder = fresh();
    mkdirSync(join(folder, ".lock"));
    const began = performance.now();
    await expect(lockFolder(folder, { patience: 0.3 })).rejects.toThrow(/is not a file/);
    expect(performance.now() - began).toBeGreaterThan(250);
    expect(performance.now() - began).toBeLessThan(3000);
  });

  const asNobody = (script: string) =>
    spawnSync(process.execPath, ["-e", script], { uid: 65534, timeout: 20_000, encoding: "utf8" });
  const source = new URL("../../../dist/files/lock/folder-lock.js", import.meta.url).href;
  const isAble = process.getuid?.() === 0 && asNobody(`import("${source}")`).status === 0;
  it.skipIf(!isAble)("of another user, that may not be read, is refused", () => {
    const folder = fresh();
    chmodSync(root, 0o755);
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, ".lock"), holder(process.pid), { mode: 0o600 });
    const script = `import("${source}").then(({ lockFolder }) => lockFolder("${folder}")).catch((e) => console.log(e.name, e.message))`;
    expect(asNobody(script).stdout).toMatch(
      /^FileError .*cannot read .*\.lock: no permission; if none is running/,
    );
  });

  it("is waited for by those who have patience", async () => {
    const folder = fresh();
    const other = spawn(process.execPath, ["-e", "setTimeout(() => {}, 300)"]);
    await once(other, "spawn");
    writeFileSync(join(folder, ".lock"), holder(other.pid!));
    await (await lockFolder(folder, { patience: 20 })).release();
  });
});
