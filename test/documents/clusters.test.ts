import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { ownArrayTask } from "../../src/schedulers/schedulers.js";
import { readPart } from "../../src/studies/parts/part.js";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/clusters.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "clusters-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program of that name which prints its arguments, a line each. */
mkdirSync(join(folder, "bin"));
writeFileSync(join(folder, "bin/pde-dirichlet"), `#!/bin/sh\nprintf '%s\\n' "$@"\n`);
chmodSync(join(folder, "bin/pde-dirichlet"), 0o755);

function blockAfter(words: string, kind: string): string {
  const [, block] = new RegExp(`\\*\\*${words}\\*\\*[^]*?\`\`\`${kind}\n([^]*?)\`\`\``).exec(PAGE) ?? [];
  return block;
}

/** What a script of the page asks the program for in a task of an array, and the part that it takes. */
function asked(script: string, environment: Readonly<Record<string, string>>) {
  const PATH = [join(folder, "bin"), process.env.PATH].join(delimiter);
  const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-c", script], {
    cwd: folder,
    env: { PATH, ...environment },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  const words = stdout.trim().split("\n");
  const part = readPart(words[words.indexOf("--part") + 1], ownArrayTask(environment));
  return { words: words.slice(0, words.indexOf("--part")), part };
}

describe("the page on clusters", () => {
  const STUDY = ["study", "controlled", "--out", "out/controlled"];

  it.each([
    ["PBS", { PBS_ARRAY_INDEX: "2", PBS_O_WORKDIR: folder }, 15],
    ["LSF", { LSB_JOBINDEX: "2", LSB_JOBINDEX_END: "15" }, 15],
  ])("has a script of %s that carries out the part of its task", (name, environment, of) => {
    expect(asked(blockAfter(name, "bash"), environment)).toEqual({ words: STUDY, part: { index: 2, of } });
  });

  it("has an indexed job of Kubernetes that carries out the part of its pod", () => {
    const { spec } = parse(blockAfter("Kubernetes", "yaml"));
    const [{ args }] = spec.template.spec.containers;
    const part = args[args.indexOf("--part") + 1];
    expect(args.slice(0, 5)).toEqual(["pde-dirichlet", ...STUDY.slice(0, 3), "/data/controlled"]);
    for (let pod = 0; pod < spec.completions; pod++)
      expect(readPart(part, ownArrayTask({ JOB_COMPLETION_INDEX: `${pod}` }))).toEqual({
        index: pod + 1,
        of: spec.completions,
      });
  });

  it("has a command of GNU parallel that names every part", () => {
    const [command] = /^parallel .*$/m.exec(PAGE)!;
    expect(command).toMatch(/--part \{\}\/15 ::: \$\(seq 15\)$/);
    expect(readPart("15/15", undefined)).toEqual({ index: 15, of: 15 });
  });
});
