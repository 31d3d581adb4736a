/**
 * Runs the commands of the README's console blocks, in order and in an empty folder, and puts what they print on standard
 * output below them, to the last blank line; then draws the figure of the partition. With --check, fails if that changes
 * a number or the figure; words may change.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sameNumbers } from "./same-numbers.mjs";

const README = fileURLToPath(new URL("../README.md", import.meta.url));
const FIGURE = fileURLToPath(new URL("../docs/figures/burgers-partition.svg", import.meta.url));
/** In the folder that the README's commands have filled. */
const DRAW =
  "pde-dirichlet partition burgers.h5 --clients 10 --alpha 100 1 0.01 --seed 42 --out drawn --figure drawn.svg";
const BIN = fileURLToPath(new URL("../bin/pde-dirichlet.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-readme-"));

function run(line) {
  const [program, ...args] = line.split(" ");
  if (program !== "pde-dirichlet") throw new Error(`not a command of ours: ${line}`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${line}\n${stderr}`);
  return stdout.replace(/\n$/, ""); // all of it: the block ends the last line
}

const before = readFileSync(README, "utf8");
try {
  const after = before.replace(/```console\n([\s\S]*?)```/g, (_, block) => {
    const commands = block.split("\n").filter((line) => line.startsWith("$ "));
    return `\`\`\`console\n${commands.map((command) => `${command}\n${run(command.slice(2))}\n`).join("")}\`\`\``;
  });
  run(DRAW);
  const drawn = readFileSync(join(folder, "drawn.svg"), "utf8");
  if (!process.argv.includes("--check")) {
    writeFileSync(README, after);
    writeFileSync(FIGURE, drawn);
  } else if (!sameNumbers(after, before)) {
    writeFileSync(join(tmpdir(), "README.expected.md"), after);
    throw new Error("README.md does not show what the commands print: run scripts/update-readme.mjs");
  } else if (drawn !== readFileSync(FIGURE, "utf8"))
    throw new Error(
      "docs/figures/burgers-partition.svg is not as it would be drawn: run scripts/update-readme.mjs",
    );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
