import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const COMMANDS = [
  ...[
    "generate",
    "import",
    "convert",
    "show",
    "bins",
    "partition",
    "diagnose",
    "bins",
    "survey",
    "train",
    "study",
    "devices",
  ],
  ...["cache", "status", "verify", "report", "track", "theory", "cluster/submit", "cluster/cancel"],
];

/** Turns of phrase that readers had to read twice. */
const READ_TWICE =
  /\b(of which|such as are|what is made of|takes? along|goes on|go on|unless told otherwise|so many|what came out|what becomes of|who gives|at hand|come along|a side|what computes)\b/gi;
/** The labels of the paper's LaTeX source, which its readers do not see. */
const LABEL = /\b(sec|tab|fig|eq|app|alg|thm|lem|prop):[a-z]/g;
const LONGEST_SENTENCE = 32;

async function helpOf(name: string): Promise<string> {
  const module = name.startsWith("cluster/")
    ? await import(`../../src/cli/cluster/${name.slice("cluster/".length)}.ts`)
    : await import(`../../src/cli/${name}.ts`);
  const command: Command = await module[`${name.replace(/^.*\//, "")}Command`]();
  return [command, ...command.commands].map((one) => one.helpInformation().replace(/\s+/g, " ")).join(" ");
}

/** Sentences of the paragraphs and lists of a page, without tables, titles, code and the targets of links. */
function sentences(page: string): string[] {
  return page
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/\]\([^)]*\)/g, "]")
    .split(/\n\n+|\n(?=- |\d+\. )/)
    .filter((paragraph) => !/^\s*[|#]/.test(paragraph))
    .flatMap((paragraph) => paragraph.replace(/\s+/g, " ").split(/(?<=[.:;?])\s+(?=[A-Z`*[(])/));
}

const pages = readdirSync(join(ROOT, "docs"))
  .filter((name) => name.endsWith(".md") && name !== "performance.md") // which a program writes
  .map((name) => `docs/${name}`);

describe.each([...pages, "CONTRIBUTING.md"])("the page %s", (name) => {
  const page = readFileSync(join(ROOT, name), "utf8");

  it("has none of the phrases that readers had to read twice, and no label of LaTeX", () => {
    expect(page.match(READ_TWICE)).toBeNull();
    expect(page.match(LABEL)).toBeNull();
  });

  it("has no sentence that loses its reader", () => {
    const long = sentences(page).filter((sentence) => sentence.split(" ").length > LONGEST_SENTENCE);
    expect(long).toEqual([]);
  });
});

describe("the help", () => {
  it.each(COMMANDS)("of %s has none of them either", async (name) => {
    const help = await helpOf(name);
    expect(help.match(READ_TWICE)).toBeNull();
    expect(help.match(LABEL)).toBeNull();
  });
});
