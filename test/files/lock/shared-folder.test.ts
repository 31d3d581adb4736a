import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { link, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { FolderInUse, lockFolder, lockState, SILENT_SECONDS } from "../../../src/files/lock/folder-lock.js";
import { type LockFileSystem, NODE_FILES } from "../../../src/files/lock/lock-files.js";

const root = mkdtempSync(join(tmpdir(), "shared-lock-"));
afterAll(() => rmSync(root, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());
const fresh = () => mkdtempSync(join(root, "case-"));

const fault = (code: string) => Object.assign(new Error(`${code}: injected`), { code });
/** The lock of a process on another machine, as that machine's program wrote it. */
const elsewhere = (more: object = {}) =>
  JSON.stringify({ pid: 1, host: "node-7", machine: "boot ns", started: "1", token: "theirs", ...more });
const aged = (path: string, seconds: number) => {
  const time = Date.now() / 1000 - seconds;
  utimesSync(path, time, time);
};
function lockedElsewhere(more: object = {}, seconds = 0): string {
  const folder = fresh();
  writeFileSync(join(folder, ".lock"), elsewhere(more));
  aged(join(folder, ".lock"), seconds);
  return folder;
}

describe("a lock on a network file system", () => {
  it("is ours where the reply was lost, and the repeated request finds the name that it made itself", async () => {
    const files: LockFileSystem = {
      ...NODE_FILES,
      async link(file, name) {
        await link(file, name);
        throw fault("EEXIST");
      },
    };
    const folder = fresh();
    const lock = await lockFolder(folder, { files });
    expect(await lock.isHeld()).toBe(true);
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUse);
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("tolerates stale handles, of every request, again and again", async () => {
    let calls = 0;
    const flaky =
      <A extends readonly unknown[], R>(action: (...given: A) => Promise<R>) =>
      async (...given: A) => {
        if (calls++ % 2 === 0) throw fault("ESTALE");
        return action(...given);
      };
    const { link, read, stat } = NODE_FILES;
    const files = { ...NODE_FILES, link: flaky(link), read: flaky(read), stat: (path: string) => stat(path) };
    const folder = lockedElsewhere({}, SILENT_SECONDS + 5);
    const lock = await lockFolder(folder, { files });
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
    expect(calls).toBeGreaterThan(4);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("refuses in one line a file system without hard links, and leaves nothing there", async () => {
    for (const code of ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]) {
      const folder = fresh();
      const files = { ...NODE_FILES, link: () => Promise.reject(fault(code)) };
      await expect(lockFolder(folder, { files })).rejects.toThrow(
        /\.lock needs a file system with hard links, and this one has none: choose another --out$/,
      );
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it("gives signs of life by the server's clock, and none any more once another has taken it over", async () => {
    const folder = fresh();
    const lock = await lockFolder(folder, { heartbeat: 20 });
    const path = join(folder, ".lock");
    aged(path, 3600);
    await expect.poll(() => lockState(folder).then((state) => state?.alive)).toBe("process");
    const { statSync } = await import("node:fs");
    await expect.poll(() => Date.now() - statSync(path).mtimeMs).toBeLessThan(5000);
    writeFileSync(path, elsewhere());
    expect(await lock.isHeld()).toBe(false);
    aged(path, 3600);
    await pause(100);
    expect(Date.now() - statSync(path).mtimeMs).toBeGreaterThan(3_000_000); // left alone
    await lock.release();
    expect(readFileSync(path, "utf8")).toBe(elsewhere()); // somebody else's is never removed
  });
});

describe("the lock of a machine that nobody can look into", () => {
  it("is respected while it gives signs of life, and taken over after a stated silence", async () => {
    await expect(lockFolder(lockedElsewhere({}, SILENT_SECONDS - 30))).rejects.toThrow(
      /is in use by process 1 on node-7: wait for it, or choose another --out/,
    );
    const silent = lockedElsewhere({}, SILENT_SECONDS + 30);
    expect((await lockState(silent))?.alive).toBeUndefined();
    const lock = await lockFolder(silent);
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
    expect(existsSync(join(silent, ".lock"))).toBe(false);
  });

  it("is judged by the server's clock, however wrong this machine's is", async () => {
    const hour = 3_600_000;
    // The server's clock is an hour behind ours: by our own, a fresh lock would look an hour old.
    const behind: LockFileSystem = {
      ...NODE_FILES,
      async stat(path) {
        const found = await NODE_FILES.stat(path);
        return {
          isFile: () => found.isFile(),
          isDirectory: () => found.isDirectory(),
          mtimeMs: found.mtimeMs - hour,
          ctimeMs: found.ctimeMs - hour,
        };
      },
    };
    await expect(lockFolder(lockedElsewhere({}, 5), { files: behind })).rejects.toThrow(FolderInUse);
  });

  it("is not taken over where a sign of life arrives just as it is to be removed", async () => {
    const folder = lockedElsewhere({}, SILENT_SECONDS + 30);
    const path = join(folder, ".lock");
    const files: LockFileSystem = {
      ...NODE_FILES,
      async link(file, name) {
        await link(file, name);
        if (name.endsWith(".break")) writeFileSync(path, elsewhere());
      },
    };
    await expect(lockFolder(folder, { files })).rejects.toThrow(FolderInUse);
    expect(readFileSync(path, "utf8")).toBe(elsewhere());
  });

  it("is that of another machine of the same name where its processes cannot be seen", async () => {
    const folder = lockedElsewhere({ host: hostname(), pid: 999_999_999 }, 30);
    expect((await lockState(folder))?.alive).toBe("heartbeat"); // a container or a restarted machine
  });

  it("of an earlier version, which gives no signs of life, is never taken over", async () => {
    const folder = lockedElsewhere({ token: undefined }, 1e6);
    await expect(lockFolder(folder)).rejects.toThrow(/\(if it no longer runs, delete .*\.lock\)$/);
  });
});

describe("the lock of a job", () => {
  const job = { scheduler: "slurm", id: "12_3", restarts: 0 };

  it("is that of a job before it went back into the queue, where the same job asks", async () => {
    vi.stubEnv("SLURM_JOB_ID", "15");
    vi.stubEnv("SLURM_ARRAY_JOB_ID", "12");
    vi.stubEnv("SLURM_ARRAY_TASK_ID", "3");
    vi.stubEnv("SLURM_RESTART_COUNT", "1");
    const lock = await lockFolder(lockedElsewhere({ job }, 1));
    expect(await lock.isHeld()).toBe(true);
    await lock.release();
  });

  it("is respected by other jobs while no scheduler can be asked and it gives signs of life", async () => {
    vi.stubEnv("PATH", "/nowhere");
    const other = { ...job, id: "99_1" };
    await expect(lockFolder(lockedElsewhere({ job: other }, 30))).rejects.toThrow(
      /is in use by process 1 on node-7 \(Slurm job 99_1\)/,
    );
    const lock = await lockFolder(lockedElsewhere({ job: { ...other, id: "99_2" } }, SILENT_SECONDS + 1));
    await lock.release();
  });

  it("of a scheduler that this version does not know goes by its signs of life", async () => {
    const odd = { scheduler: "flux", id: "f1", restarts: 0 };
    expect((await lockState(lockedElsewhere({ job: odd }, 1)))?.alive).toBe("heartbeat");
    expect((await lockState(lockedElsewhere({ job: odd }, SILENT_SECONDS + 1)))?.alive).toBeUndefined();
  });
});

describe("many who ask for the lock of a dead machine", () => {
  it("get it one after the other", async () => {
    for (let repeat = 0; repeat < 20; repeat++) {
      const folder = lockedElsewhere({}, SILENT_SECONDS + 10);
      let inside = 0;
      const asked = Array.from({ length: 8 }, async () => {
        const lock = await lockFolder(folder, { patience: 30 });
        expect(++inside).toBe(1);
        await pause(1);
        inside--;
        await lock.release();
      });
      await Promise.all(asked);
      expect(readdirSync(folder)).toEqual([]);
      await rm(folder, { recursive: true });
    }
  });
});
