import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHalf } from "../../src/datasets/files/labelled-file.js";
import { openHdf5 } from "../../src/files/hdf5.js";
import { codeBlocks } from "./markdown.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/extending.md"), "utf8");
const BLOCKS = codeBlocks(PAGE, "ts");

/** A copy of the program to which the page's examples are added as it says: a file each, and a line in a table. */
const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-extended-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const execute = promisify(execFile);

/** The example that is a whole file, by its path. */
function example(path: string): string {
  const found = BLOCKS.find((block) => block.startsWith(`// ${path}\n`));
  if (!found) throw new Error(`the page has no example ${path}`);
  return found;
}

/** Puts lines into a file: an import at the top, and a line behind another one. */
function insert(path: string, behind: string, line: string, imported = ""): void {
  const text = readFileSync(join(folder, path), "utf8");
  expect(text.split(behind)).toHaveLength(2);
  writeFileSync(join(folder, path), `${imported}${text.replace(behind, `${behind}\n${line}`)}`);
}

async function run(...args: string[]) {
  const env = { ...process.env, PDE_DIRICHLET_CACHE: join(folder, "cache") };
  const bin = join(folder, "bin/pde-dirichlet.js");
  return execute(process.execPath, [bin, ...args], { cwd: folder, env, maxBuffer: 1 << 24 });
}

const SHORT = ["--alpha", "1", "--clients", "2", "--rounds", "1", "--bins", "2", "--quiet", "--json"];

beforeAll(async () => {
  for (const name of ["src", "bin", "studies", "docs", "scripts", "package.json", "tsconfig.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  cpSync(join(ROOT, "tsconfig.build.json"), join(folder, "tsconfig.build.json"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));

  writeFileSync(join(folder, "src/models/cnn.ts"), example("src/models/cnn.ts"));
  expect(BLOCKS).toContain("export const MODELS = {\n  cnn,\n");
  insert("src/models/models.ts", "export const MODELS = {", "  cnn,", 'import { cnn } from "./cnn.js";\n');

  writeFileSync(
    join(folder, "src/datasets/sources/advection.ts"),
    example("src/datasets/sources/advection.ts"),
  );
  const sources = "export const SOURCES: Readonly<Record<string, DataSource>> = {";
  expect(BLOCKS).toContain(`${sources}\n  advection,\n`);
  const imported = 'import { advection } from "./sources/advection.js";\n';
  insert("src/datasets/sources.ts", sources, "  advection,", imported);

  writeFileSync(
    join(folder, "src/partition/partitioners/blocks.ts"),
    example("src/partition/partitioners/blocks.ts"),
  );
  expect(BLOCKS).toContain("export const PARTITIONERS = {\n  blocks,\n");
  insert(
    "src/partition/partitioners.ts",
    "export const PARTITIONERS = {",
    "  blocks,",
    'import { blocks } from "./partitioners/blocks.js";\n',
  );

  writeFileSync(
    join(folder, "src/federation/strategies/damped.ts"),
    example("src/federation/strategies/damped.ts"),
  );
  const strategies = "export const STRATEGIES: Readonly<Record<string, StrategyEntry>> = {";
  expect(BLOCKS).toContain(`${strategies}\n  damped,\n`);
  insert(
    "src/federation/strategies/strategies.ts",
    strategies,
    "  damped,",
    'import { damped } from "./damped.js";\n',
  );

  const option = BLOCKS.find((block) => block.trimStart().startsWith("beta1:"))!;
  insert("src/federation/optimizer-options.ts", "  adam: {\n    options: {", option);

  await execute(join(ROOT, "node_modules/.bin/tsc"), ["-p", "tsconfig.build.json"], { cwd: folder });
}, 120_000);

describe("the page on extending", () => {
  it("adds a model with one file and one line", async () => {
    const small = ["--train", "16", "--test", "4", "--grid", "16", "--min-size", "4"];
    const { stdout } = await run(
      "train",
      "darcy",
      ...small,
      ...SHORT,
      "--model",
      "cnn",
      "width=3",
      "depth=2",
    );
    const { model, result } = JSON.parse(stdout);
    expect(model).toMatchObject({ name: "cnn", width: 3, depth: 2, parameters: 9 * (3 + 3) + 3 + 1 });
    expect(result.test_error).toBeGreaterThan(0);
    await expect(run("train", "antiderivative", ...SHORT, "--model", "cnn")).rejects.toThrow(
      "cnn takes inputs and responses on one grid of two axes",
    );
    await expect(run("train", "darcy", ...SHORT, "--model", "cnn", "modes=3")).rejects.toThrow(
      'the model has no option "modes"; it has width, depth',
    );
  });

  it("adds a data source with one file and one line", async () => {
    const generated = await run(
      "generate",
      "advection",
      "--speed",
      "0.25",
      "--grid",
      "16",
      "--out",
      "a.h5",
      "--json",
    );
    expect(JSON.parse(generated.stdout)).toMatchObject({ parameters: { grid: 16, speed: 0.25 }, train: 500 });
    const file = await openHdf5(join(folder, "a.h5"));
    const { inputs, responses } = await readHalf(join(folder, "a.h5"), "test");
    const [u0, u] = [await inputs.read(0, 1), await responses.read(0, 1)];
    u.forEach((value, i) => {
      expect(value).toBeCloseTo(u0[(i + 12) % 16], 12); // a quarter of the circle on
    });
    expect(file.attributes("/").equation).toContain("speed u_x");
    file.close();
    const { stdout } = await run(
      "train",
      "advection",
      ...SHORT,
      "--model",
      "width=4",
      "layers=1",
      "projection=4",
    );
    expect(JSON.parse(stdout)).toMatchObject({
      model: { name: "fno1d" },
      options: { parameters: { speed: 0.3 } },
    });
    await expect(run("train", "advection", ...SHORT, "--speed", "20")).rejects.toThrow("from -10 to 10");
  });

  it("adds a strategy with one file and one line", async () => {
    const data = ["train", "antiderivative", "--train", "40", "--test", "4", "--min-size", "4", ...SHORT];
    const damped = await run(...data, "--strategy", "damped", "--step", "0.25");
    expect(JSON.parse(damped.stdout).options.strategy).toEqual({ name: "damped", step: 0.25 });
    await expect(run(...data, "--strategy", "damped", "--step", "2")).rejects.toThrow("from 0 to 1");
  });

  it("adds a partitioner with one file and one line", async () => {
    const data = ["--train", "40", "--test", "4", "--min-size", "4"];
    const [, , ...short] = SHORT; // no alpha
    const { stdout } = await run("train", "antiderivative", ...data, ...short, "--partitioner", "blocks");
    expect(JSON.parse(stdout)).toMatchObject({
      options: { alpha: null, partitioner: { name: "blocks", start: 0 } },
      partition: { n_min: 20, n_max: 20 },
    });
    const file = ["generate", "antiderivative", "--train", "40", "--test", "4", "--out", "b.h5", "--quiet"];
    await run(...file);
    const split = ["--partitioner", "blocks", "--start", "1", "--clients", "2", "--bins", "2"];
    await run("partition", "b.h5", ...split, "--min-size", "4", "--out", "b.json", "--quiet");
    const { options, client_of_sample } = JSON.parse(readFileSync(join(folder, "b.json"), "utf8"));
    expect(options.partitioner).toEqual({ name: "blocks", start: 1 });
    expect(client_of_sample).toEqual([...new Array(20).fill(1), ...new Array(20).fill(0)]);
    await expect(run("train", "antiderivative", ...short, "--partitioner", "nobody")).rejects.toThrow(
      "blocks",
    );
  });

  it("adds an option with one line", async () => {
    const trained = async (...more: string[]) => {
      const data = ["--train", "40", "--test", "4", "--min-size", "4"];
      const { stdout } = await run("train", "antiderivative", ...data, ...SHORT, ...more);
      const { options, result } = JSON.parse(stdout);
      return { optimizer: options.optimizer, parameters: result.parameters_sha256 };
    };
    const usual = await trained();
    expect(usual.optimizer).toEqual({ name: "adam", rate: 1e-3 });
    expect(await trained("--beta1", "0.9")).toEqual(usual);
    const other = await trained("--beta1", "0.5");
    expect(other.optimizer).toEqual({ name: "adam", rate: 1e-3, beta1: 0.5 });
    expect(other.parameters).not.toBe(usual.parameters);
    await expect(run("train", "antiderivative", ...SHORT, "--beta1", "1")).rejects.toThrow(
      "from 0 to below 1",
    );
    await execute(process.execPath, ["scripts/option-tables.mjs"], { cwd: folder });
    expect(readFileSync(join(folder, "docs/studies.md"), "utf8")).toContain(
      "| `beta1` | a number from 0 to below 1 | `0.9` | decay of the mean of gradients |",
    );
  });
});
