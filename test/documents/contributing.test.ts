import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tableRows } from "./markdown.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");
const rows = tableRows(PAGE).filter((row) => "I want to add" in row);

/** A name without what spellings differ in: `inversion-net` is InversionNet. */
const plain = (text: string) => text.toLowerCase().replace(/[-_]/g, "");

describe("the page for contributors", () => {
  it("fits on one screen", () => {
    expect(PAGE.split("\n").length).toBeLessThan(64);
  });

  it.each(rows)("names files that have the model to copy: $Model", (row) => {
    const files = [...row["Files in `src`"].matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => file);
    if (row.Model !== "") expect(files).not.toEqual([]);
    for (const file of files) {
      const path = join(ROOT, "src", file);
      expect(existsSync(path), file).toBe(true);
      expect(plain(file + readFileSync(path, "utf8")), file).toContain(plain(row.Model.replaceAll("`", "")));
    }
  });

  it.each(rows)("counts the files that are needed in any case: $Model", (row) => {
    const [, stated, needed] =
      /^(\d+)(?: more|, and [^:]*)?: (.*?)(?:;|\. |$)/.exec(row["Files in `src`"]) ?? [];
    if (row.Model === "") expect(stated).toBeUndefined();
    else expect(needed.match(/`[\w/-]+\.ts`/g)).toHaveLength(Number(stated));
  });
});
