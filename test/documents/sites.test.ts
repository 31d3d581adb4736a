import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { workFolder } from "../cli/command.js";
import { codeBlocks } from "./markdown.js";

const FILE = join(import.meta.dirname, "../../docs/sites.md");
const PAGE = readFileSync(FILE, "utf8");
const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const { path, run, folder } = workFolder();

/** What a command of the page prints: its warnings and its result, without progress. */
async function printed(command: string): Promise<string> {
  const [program, ...args] = command.split(" ");
  if (program === "cat") return readFileSync(path(args[0]), "utf8");
  const { status, stdout, stderr } = await run(...args);
  expect([command, status, stderr.match(/^pde-dirichlet: (?!warning)/m)]).toEqual([command, 0, null]);
  const warnings = stderr.split("\n").filter((line) => line.startsWith("pde-dirichlet: warning: "));
  return [...warnings, stdout].join("\n");
}

/** A block of commands as a terminal would show it. */
async function shown(block: string): Promise<string> {
  const parts: string[] = [];
  for (const [, command] of block.matchAll(/^\$ (.*)$/gm))
    parts.push(`$ ${command}\n${(await printed(command)).trimEnd()}\n`);
  return parts.join("\n");
}

const commandsOf = (block: string) => block.trim().split("\n");

beforeAll(() => Promise.all(commandsOf(codeBlocks(PAGE, "sh").at(-1)!).map(printed)), 120_000);

describe("the page on sites", () => {
  it("shows what its commands print", async () => {
    const blocks = codeBlocks(PAGE, "(?:console|sh)").slice(0, -1);
    expect(blocks).toHaveLength(6);
    let page = PAGE;
    for (const block of blocks) {
      const isShown = block.startsWith("$ ");
      if (isShown) page = page.split(block).join(await shown(block));
      else for (const command of commandsOf(block)) await printed(command);
    }
    if (process.env.UPDATE_GOLDEN) writeFileSync(FILE, page);
    else expect(PAGE).toBe(page);
  }, 120_000);

  const hasNumpy = spawnSync(PYTHON, ["-c", "import h5py, numpy"]).status === 0;
  it.skipIf(!hasNumpy)("has lines of Python that count as the program does", async () => {
    const script = `import h5py\nu = h5py.File("south.h5")["train/responses"][:]\n${codeBlocks(PAGE, "python")[0]}\nprint(counts.tolist())`;
    const ran = spawnSync(PYTHON, ["-c", script], { cwd: folder, encoding: "utf8" });
    expect(ran.stderr).toBe("");
    const site = ["bins", "count", "bins.npz", "south.h5", "--site", "s", "--minimum", "1", "--out", "s.csv"];
    const { stdout } = await run(...site, "--json", "--quiet");
    expect(JSON.parse(ran.stdout)).toEqual(JSON.parse(stdout).counts);
  });
});
