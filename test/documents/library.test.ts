import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as main from "../../src/index.js";
import * as node from "../../src/node.js";
import { codeBlocks, tableRows } from "./markdown.js";

const ROOT = join(import.meta.dirname, "../..");
const FILE = join(ROOT, "docs/library.md");
const PAGE = readFileSync(FILE, "utf8");

/** The examples by their titles, each with what the page says that it prints. */
const EXAMPLES = PAGE.split(/^## /m).flatMap((section) => {
  const [title] = section.split("\n");
  const printed = codeBlocks(section, "text");
  return codeBlocks(section, "ts").map((code, i) => ({ title, code, printed: printed[i] }));
});

/** Puts what an example prints below it. */
function writePrinted(example: number, told: string): void {
  let count = 0;
  const page = readFileSync(FILE, "utf8").replace(
    /^(```ts\n[\s\S]*?^```\n)(\n```text\n[\s\S]*?^```\n)?/gm,
    (both, code) => (count++ === example ? `${code}\n\`\`\`text\n${told}\`\`\`\n` : both),
  );
  writeFileSync(FILE, page);
}

describe("the page on the library", () => {
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-library-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(() => {
    // A project with the package as npm would install it.
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules", "pde-dirichlet"));
    symlinkSync(join(ROOT, "node_modules", "@types"), join(folder, "node_modules", "@types"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const compilerOptions = {
      target: "ES2022",
      module: "NodeNext",
      strict: true,
      noUnusedLocals: true,
      types: ["node"],
      skipLibCheck: true,
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    EXAMPLES.forEach(({ code }, i) => {
      writeFileSync(join(folder, `example-${i}.ts`), code);
    });
  });

  it("has examples whose types are right", () => {
    const { status, stdout } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  it.each(EXAMPLES.map((example, i) => ({ ...example, i })))(
    "has an example that prints what it says: $title",
    ({ i, printed }) => {
      const env = { ...process.env, PDE_DIRICHLET_CACHE: join(folder, "cache"), NO_COLOR: "1" };
      const told = execFileSync(process.execPath, [`example-${i}.js`], {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      if (process.env.UPDATE_GOLDEN) writePrinted(i, told);
      else expect(told).toBe(printed);
    },
  );

  it("names what there is", () => {
    const names = tableRows(PAGE).flatMap(({ Names }) => Names.match(/(?<=`)\w+(?=`)/g) ?? []);
    expect(names.filter((name) => !(name in main) && !(name in node))).toEqual([]);
  });
});
