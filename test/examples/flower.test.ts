import { execFile, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { workFolder } from "../cli/command.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const NEEDED = "import flwr.simulation, ray, datasets, torch, safetensors";
const isThere = spawnSync(PYTHON, ["-c", NEEDED]).status === 0;
const EXAMPLE = join(import.meta.dirname, "../../examples/flower");
const execute = promisify(execFile);

const { folder, path, run } = workFolder();
const SMALL = ["--train", "60", "--test", "10"];

async function done(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(...args, "--quiet");
  expect([args[0], status, stderr]).toEqual([args[0], 0, ""]);
  return stdout;
}

describe("the Flower example", () => {
  it.skipIf(!isThere)(
    "logs runs that end in our report, with the H_g of our own runs",
    async () => {
      await done("generate", "burgers", "--seed", "3", ...SMALL, "--out", "burgers.h5");
      for (const alpha of ["100", "0.1"]) {
        const split = ["--alpha", alpha, "--seed", "3", "--clients", "2", "--bins", "4", "--min-size", "8"];
        await done("partition", "burgers.h5", ...split, "--out", `p-${alpha}.json`);
        const form = ["--format", "flower", "--data", "burgers.h5", "--dtype", "float32"];
        await done("export", `p-${alpha}.json`, ...form, "--out", `clients-${alpha}`);
        await done("train", "burgers", ...split, ...SMALL, "--rounds", "0", "--out", "own");
      }
      const [start] = readdirSync(path("own/runs"));
      for (const alpha of ["100", "0.1"]) {
        const args = ["--export", `clients-${alpha}`, "--start", `own/runs/${start}/parameters.safetensors`];
        await execute(
          PYTHON,
          [join(EXAMPLE, "simulate.py"), ...args, "--rounds", "1", "--seed", "3", "--records", "out"],
          { cwd: folder, maxBuffer: 1 << 26, env: { ...process.env, HOME: path("home") } },
        );
      }
      const { summary } = JSON.parse(await done("report", "out", "--json"));
      expect(summary[0]).toBe(
        "2 runs trained Burgers by FedAvg for 1 round with K = 2 clients and Adam, at α = 100 and 0.1 with seed 3.",
      );
      const rowsOf = (name: string) => {
        const [head, ...rows] = readFileSync(path(`${name}/records.csv`), "utf8")
          .trim()
          .split("\n");
        const cells = rows.map((row) => row.split(","));
        return (column: string, alpha: number, round: number) => {
          const at = (title: string) => head.split(",").indexOf(title);
          const row = cells.find(
            (one) => Number(one[at("alpha")]) === alpha && Number(one[at("round")]) === round,
          )!;
          return Number(row[at(column)]);
        };
      };
      await done("report", "own");
      const [flower, own] = [rowsOf("out"), rowsOf("own")];
      for (const alpha of [100, 0.1]) {
        expect(flower("d_sol", alpha, 0)).toBe(own("d_sol", alpha, 0));
        expect(flower("h_g_norm", alpha, 0)).toBeCloseTo(own("h_g_norm", alpha, 0), 5);
        expect(flower("test_error", alpha, 0)).toBeCloseTo(own("test_error", alpha, 0), 3);
        expect(flower("d_loc", alpha, 1)).toBeGreaterThan(0);
      }
      expect(flower("d_theta", 0.1, 1)).toBeGreaterThan(0);
      expect(flower("excess_error", 100, 1)).toBe(0);
      expect(await done("track", "out", "--track", "tensorboard")).toBe(
        "2 runs in tensorboard: 4 checkpoints sent\n",
      );
    },
    600_000,
  );
});
