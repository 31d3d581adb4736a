import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { FileError } from "../../src/errors.js";
import { Journal, type JournalLine, readJournal } from "../../src/records/journal.js";

const folder = mkdtempSync(join(tmpdir(), "journal-"));
afterAll(() => rmSync(folder, { recursive: true }));

const line = (round: number): JournalLine => ({
  round,
  test_error: 1 / (round + 3),
  train_loss: 0.1,
  h_g_norm: round === 0 ? 0.5 : null,
  d_loc: 1e-9,
  parameters_sha256: "00",
});

async function written(name: string, ...rounds: number[]): Promise<string> {
  const path = join(folder, name);
  const journal = await Journal.open(path, 0);
  for (const round of rounds) await journal.append(line(round));
  await journal.close();
  return path;
}

describe("a journal", () => {
  it("gives back its lines to the last bit", async () => {
    const path = await written("whole", 0, 1, 5);
    expect(await readJournal(path)).toEqual([line(0), line(1), line(5)]);
  });

  it("is cut after the last whole line when it is opened again", async () => {
    const path = await written("half", 0, 1);
    const whole = readFileSync(path, "utf8");
    for (const length of [1, 20, JSON.stringify(line(5)).length]) {
      writeFileSync(path, whole);
      appendFileSync(path, JSON.stringify(line(5)).slice(0, length));
      await expect(readJournal(path)).rejects.toThrow(/ends in half a line/);
      const journal = await Journal.open(path, 100);
      expect(journal.lines.map(({ round }) => round)).toEqual([0, 1]);
      await journal.append(line(5));
      await journal.close();
      expect(readFileSync(path, "utf8")).toBe(`${whole}${JSON.stringify(line(5))}\n`);
    }
  });

  it("forgets rounds after the one that is resumed from", async () => {
    const path = await written("later", 0, 1, 5, 10);
    const journal = await Journal.open(path, 7);
    expect(journal.lines.map(({ round }) => round)).toEqual([0, 1, 5]);
    await journal.close();
    expect((await readJournal(path)).length).toBe(3);
  });

  it("names a line that is none", async () => {
    const path = await written("foreign", 0);
    appendFileSync(path, '{"round": -1}\n');
    await expect(readJournal(path)).rejects.toThrow(`${path}:2: not a line of a journal`);
  });

  it("says when the disk is full, and goes on after the last whole line", async () => {
    const path = await written("full", 0);
    const journal = await Journal.open(path, 0);
    const probe = await open(path);
    const full = vi
      .spyOn(Object.getPrototypeOf(probe), "appendFile")
      .mockRejectedValue(Object.assign(new Error("write"), { code: "ENOSPC" }));
    await expect(journal.append(line(1))).rejects.toThrow(`cannot write ${path}: the disk is full`);
    full.mockRestore();
    expect(journal.lines.length).toBe(1);
    await Promise.all([journal.close(), probe.close()]);
    await expect(Journal.open(join(folder, "no/where"), 0)).rejects.toThrow(FileError);
  });
});
