import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { meshAdvice } from "../../src/datasets/files/mesh-advice.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { openNpz, writeNpz } from "../../src/files/npz.js";
import { stream } from "../../src/random/stream.js";
import { workFolder } from "../cli/command.js";
import { codeBlocks, tableRows } from "./markdown.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/descriptors.md"), "utf8");
const SCRIPT = join(ROOT, "examples/descriptors/airfoils.py");
const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const hasNumpy = spawnSync(PYTHON, ["-c", "import numpy"]).status === 0;

const { path, run } = workFolder();
const commands = PAGE.match(/^pde-dirichlet .*$/gm)!;
/** Shapes by name, as the page states them. */
const shapes = Object.fromEntries(
  tableRows(PAGE)
    .filter((row) => "Shape" in row)
    .flatMap(({ Array: names, Shape: shape }) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, shape.split(" x ").map(Number)] as const),
    ),
);

/** A file like that of the script: arrays of these shapes, with the samples in a few groups. */
beforeAll(() => {
  const random = stream(0, "airfoils");
  const arrays = Object.entries(shapes).map(([name, shape]) => {
    const values = new Float64Array(shape.reduce((product, length) => product * length, 1));
    const each = values.length / shape[0];
    for (let i = 0; i < values.length; i++) values[i] = (Math.floor(i / each) % 12) + random.uniform();
    return [name, { values, shape }] as const;
  });
  writeFileSync(path("airfoils.npz"), writeNpz(Object.fromEntries(arrays), { compress: false }));
});

describe("the page on descriptors", () => {
  it("has commands that do what it says", async () => {
    expect(commands).toHaveLength(3);
    const [header] = codeBlocks(PAGE, "text")
      .find((block) => block.startsWith("alpha"))!
      .split("\n");
    const partitioned = await run(...commands[0].split(" ").slice(1));
    expect(partitioned).toMatchObject({ status: 0 });
    expect(partitioned.stdout.split("\n")[0]).toBe(header);
    const distances = [...partitioned.stdout.matchAll(/^(?:100|1|0\.01) +0 +([\d.]+)/gm)].map(([, d]) =>
      Number(d),
    );
    expect(distances).toHaveLength(3);
    expect(distances[2]).toBeGreaterThan(distances[0]);
    expect((await run(...commands[1].split(" ").slice(1))).status).toBe(0);
    const fields = await run(...commands[2].split(" ").slice(1));
    expect(fields).toMatchObject({ status: 0 });
    expect(fields.stderr).toContain("Bins are those of cl, cd, pod (8 numbers a sample)");
    expect(fields.stderr).not.toContain("on a mesh per sample");
    const arrays = await openNpz(bytesInMemory(readFileSync(path("split/alpha-1-seed-0.npz")), "split"));
    expect((await arrays.array("client_of_sample")).shape).toEqual([400]);
  });

  it("is what the program advises for such a file", () => {
    const advice = meshAdvice(Object.entries(shapes).map(([name, shape]) => ({ name, shape })))?.line;
    expect(advice).toContain("mesh has points of its own for each of 400 samples");
    expect(advice).toContain("docs/descriptors.md");
    expect(advice).toMatch(/--responses (cl|cd|pod|descriptors)/);
  });

  it("shows the code of the example", () => {
    const source = readFileSync(SCRIPT, "utf8");
    const [shown] = codeBlocks(PAGE, "python");
    for (const line of shown.split("\n").filter((line) => /^ {4}(centred|return)/.test(line)))
      expect(source).toContain(line);
  });

  it.skipIf(!hasNumpy)(
    "has the arrays that the script writes",
    async () => {
      const out = path("python.npz");
      const printed = execFileSync(PYTHON, [SCRIPT, out], { encoding: "utf8" });
      expect(codeBlocks(PAGE, "text")[0]).toBe(printed);
      const archive = await openNpz(bytesInMemory(readFileSync(out), "python.npz"));
      const written = await Promise.all(archive.names.map(async (name) => [name, await archive.shape(name)]));
      expect(Object.fromEntries(written)).toEqual(shapes);
    },
    120_000,
  );
});
