import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { FileError, FormatError } from "../../src/errors.js";
import { checkFolder, checkOutputs, openFile, writeFolder, writeOutputs } from "../../src/files/disk.js";

const root = mkdtempSync(join(tmpdir(), "disk-"));
afterAll(() => rmSync(root, { recursive: true }));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "case-"));
});

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const fails = (): never => {
  throw new Error("the work broke");
};

const breaksHalfway = (path: string): void => {
  writeFileSync(path, "half");
  fails();
};

describe("a file on disk", () => {
  it("is read by range", async () => {
    writeFileSync(join(folder, "a"), "hello world");
    const file = await openFile(join(folder, "a"));
    expect(file.size).toBe(11);
    expect(await file.read(6, 5)).toEqual(text("world"));
    await expect(file.read(8, 5)).rejects.toThrow(FormatError);
    await file.close();
  });

  it("is refused in one line when it is missing or a folder", async () => {
    await expect(openFile(join(folder, "no"))).rejects.toThrow(
      `cannot read ${folder}/no: no such file or folder`,
    );
    await expect(openFile(folder)).rejects.toThrow(`${folder} is not a file`);
    await expect(openFile(join(folder, "no"))).rejects.toThrow(FileError);
  });
});

describe("outputs", () => {
  it("appear complete, with the folders that they need", async () => {
    await writeOutputs([
      { path: join(folder, "new/deep/a.json"), bytes: text("a") },
      { path: join(folder, "b"), bytes: async () => text("b") },
      { path: join(folder, "c"), write: (path) => writeFileSync(path, "c") },
    ]);
    expect(readFileSync(join(folder, "new/deep/a.json"), "utf8")).toBe("a");
    expect(readFileSync(join(folder, "b"), "utf8")).toBe("b");
    expect(readFileSync(join(folder, "c"), "utf8")).toBe("c");
    expect(readdirSync(folder).sort()).toEqual(["b", "c", "new"]);
  });

  it("do not replace a file without force", async () => {
    const path = join(folder, "p.json");
    writeFileSync(path, "old");
    const write = (force: boolean) => writeOutputs([{ path, bytes: text("new") }], { force });
    await expect(write(false)).rejects.toThrow(`${path} exists: choose another --out or add --force`);
    expect(readFileSync(path, "utf8")).toBe("old");
    await write(true);
    expect(readFileSync(path, "utf8")).toBe("new");
  });

  it("leave nothing when one of them fails in the middle, and what was there stays", async () => {
    writeFileSync(join(folder, "kept"), "old");
    const outputs = [
      { path: join(folder, "kept"), bytes: text("new") },
      { path: join(folder, "made/for/it"), bytes: text("x") },
      { path: join(folder, "half"), write: breaksHalfway },
    ];
    await expect(writeOutputs(outputs, { force: true })).rejects.toThrow("the work broke");
    expect(readdirSync(folder)).toEqual(["kept"]);
    expect(readFileSync(join(folder, "kept"), "utf8")).toBe("old");
  });

  it("leave nothing when making the bytes fails", async () => {
    await expect(writeOutputs([{ path: join(folder, "a"), bytes: fails }])).rejects.toThrow("the work broke");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("take away what a killed process left behind, and nothing of a running one", async () => {
    const gone = spawnSync(process.execPath, ["-e", "0"]).pid;
    for (const pid of [gone, process.ppid]) writeFileSync(join(folder, `.p.json.${pid}.tmp`), "half");
    writeFileSync(join(folder, `.p.json.notes.tmp`), "mine");
    await writeOutputs([{ path: join(folder, "p.json"), bytes: text("whole") }]);
    expect(readdirSync(folder).sort()).toEqual(
      [`.p.json.${process.ppid}.tmp`, ".p.json.notes.tmp", "p.json"].sort(),
    );
  });

  it("are refused early where they cannot be", async () => {
    writeFileSync(join(folder, "file"), "");
    const check = (...paths: string[]) => checkOutputs(paths.map((path) => join(folder, path)));
    await expect(check("file")).rejects.toThrow(/exists: choose another --out or add --force/);
    await expect(check("file/below")).rejects.toThrow(/is a file, not a folder/);
    await expect(check(".")).rejects.toThrow(/is a folder: choose another --out/);
    await expect(check("a", "b", "./a")).rejects.toThrow(/named twice/);
    await expect(checkOutputs([join(folder, "n".repeat(300))])).resolves.toBeUndefined();
    await expect(writeOutputs([{ path: join(folder, "n".repeat(300)), bytes: text("x") }])).rejects.toThrow(
      /^cannot write .*: the name is too long$/,
    );
    await expect(check("not/yet/there")).resolves.toBeUndefined();
  });

  it("never replace what is read, nor a device, not even by force", async () => {
    writeFileSync(join(folder, "data"), "years of work");
    symlinkSync("data", join(folder, "alias"));
    const check = (path: string, ...inputs: string[]) => checkOutputs([path], { force: true, inputs });
    await expect(check(join(folder, "data"), join(folder, "data"))).rejects.toThrow(/data is also read/);
    await expect(check(join(folder, "alias"), join(folder, "data"))).rejects.toThrow(/alias is also read/);
    await expect(check(join(folder, "data"), join(folder, "missing"))).resolves.toBeUndefined();
    if (existsSync("/dev/null")) await expect(check("/dev/null")).rejects.toThrow(/is not a file/);
  });

  it("that fail leave alone what others put into a folder that they made", async () => {
    const write = (): void => {
      writeFileSync(join(folder, "shared/theirs"), "");
      fails();
    };
    await expect(writeOutputs([{ path: join(folder, "shared/a"), write }])).rejects.toThrow("the work broke");
    expect(readdirSync(join(folder, "shared"))).toEqual(["theirs"]);
  });

  it.skipIf(process.getuid?.() === 0)("are refused in a folder without permission", async () => {
    chmodSync(folder, 0o500);
    const path = join(folder, "a");
    await expect(checkOutputs([path])).rejects.toThrow(`cannot write ${path}: no permission`);
    chmodSync(folder, 0o700);
  });

  it.skipIf(!existsSync("/proc/self"))("are refused in one line where the system refuses", async () => {
    await expect(writeOutputs([{ path: "/proc/nowhere/a", bytes: text("x") }])).rejects.toThrow(
      /^cannot write \/proc\/nowhere\/a: (no such file or folder|no permission)$/,
    );
  });

  it.skipIf(!existsSync("/dev/full"))("say that the disk is full, and leave nothing", async () => {
    const write = (): void => writeFileSync("/dev/full", "x");
    const path = join(folder, "a");
    await expect(writeOutputs([{ path, write }])).rejects.toThrow(`cannot write ${path}: the disk is full`);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("an interrupt", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "by %s removes what is half written, then ends the process",
    async (signal) => {
      const kill = vi.spyOn(process, "kill").mockReturnValue(true);
      const listeners = process.listenerCount(signal);
      const write = (path: string): void => {
        writeFileSync(path, "half");
        process.emit(signal, signal);
        expect(readdirSync(folder)).toEqual([]);
        fails();
      };
      await expect(writeOutputs([{ path: join(folder, "deep/a"), write }])).rejects.toThrow("the work broke");
      expect(kill).toHaveBeenCalledWith(process.pid, signal);
      expect(process.listenerCount(signal)).toBe(listeners);
      kill.mockRestore();
    },
  );

  it("that somebody else listens to lets the file be finished", async () => {
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    const heard = vi.fn();
    process.on("SIGINT", heard);
    const path = join(folder, "a");
    const write = (file: string): void => {
      writeFileSync(file, "whole");
      process.emit("SIGINT", "SIGINT");
    };
    await writeOutputs([{ path, write }]);
    process.off("SIGINT", heard);
    expect(heard).toHaveBeenCalledOnce();
    expect(kill).not.toHaveBeenCalled();
    expect(readFileSync(path, "utf8")).toBe("whole");
    kill.mockRestore();
  });
});

describe("an output folder", () => {
  const files = [
    { path: "a", bytes: text("a") },
    { path: "sub/b", bytes: text("b") },
  ];
  const mine = (entry: string): boolean => ["a", "sub", "stale"].includes(entry);

  it("appears whole, also where an empty one is", async () => {
    await writeFolder(join(folder, "out"), files);
    mkdirSync(join(folder, "empty"));
    await writeFolder(join(folder, "empty"), files);
    for (const name of ["out", "empty"]) expect(readFileSync(join(folder, name, "sub/b"), "utf8")).toBe("b");
    expect(readdirSync(folder).sort()).toEqual(["empty", "out"]);
  });

  it("is replaced by force, stale files and all, if all in it was of its kind", async () => {
    mkdirSync(join(folder, "out"));
    writeFileSync(join(folder, "out/stale"), "");
    await expect(writeFolder(join(folder, "out"), files, { mine })).rejects.toThrow(
      /exists: choose another --out/,
    );
    await writeFolder(join(folder, "out"), files, { mine, force: true });
    expect(readdirSync(join(folder, "out")).sort()).toEqual(["a", "sub"]);
    expect(readdirSync(folder)).toEqual(["out"]);
  });

  it("is never replaced where it holds something else", async () => {
    mkdirSync(join(folder, "out"));
    writeFileSync(join(folder, "out/thesis.tex"), "years of work");
    const replace = writeFolder(join(folder, "out"), files, { mine, force: true });
    await expect(replace).rejects.toThrow(/holds thesis.tex, which is not part of this output/);
    expect(readdirSync(join(folder, "out"))).toEqual(["thesis.tex"]);
    await expect(checkFolder(join(folder, "out/thesis.tex"))).rejects.toThrow(/is a file/);
  });

  it("takes away what a killed process left of it", async () => {
    const gone = spawnSync(process.execPath, ["-e", "0"]).pid;
    for (const left of [`.out.${gone}.tmp`, `.out.${gone}.tmp.old`]) {
      mkdirSync(join(folder, left));
      writeFileSync(join(folder, left, "a"), "half");
    }
    await writeFolder(join(folder, "out"), files);
    expect(readdirSync(folder)).toEqual(["out"]);
  });

  it.skipIf(!existsSync("/dev/full"))("is called by its own name when the disk is full", async () => {
    const full = [{ path: "sub/a", write: (): void => writeFileSync("/dev/full", "x") }];
    const out = join(folder, "out");
    await expect(writeFolder(out, full)).rejects.toThrow(`cannot write ${out}/sub/a: the disk is full`);
  });

  it("is refused in one line when its name is too long", async () => {
    await expect(writeFolder(join(folder, "n".repeat(300)), files)).rejects.toThrow(
      /^cannot write .*: the name is too long$/,
    );
  });

  it("leaves nothing when a file fails, and the old one stays", async () => {
    await writeFolder(join(folder, "out"), files);
    const bad = [...files, { path: "c", bytes: fails }];
    await expect(writeFolder(join(folder, "out"), bad, { mine, force: true })).rejects.toThrow(
      "the work broke",
    );
    await expect(writeFolder(join(folder, "new"), bad)).rejects.toThrow("the work broke");
    expect(readdirSync(folder)).toEqual(["out"]);
    expect(readdirSync(join(folder, "out")).sort()).toEqual(["a", "sub"]);
  });
});
