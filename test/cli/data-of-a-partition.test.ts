import { existsSync, rmSync, writeFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { writeNpy, writeNpz } from "../../src/index.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const SAMPLES = 60;
const SIZE = 5;
const shape = [SAMPLES, SIZE];
const values = (factor: number) =>
  Float64Array.from({ length: SAMPLES * SIZE }, (_, i) => Math.sin(i * factor) * 43.7);

beforeAll(async () => {
  writeFileSync(path("u.npy"), writeNpy(values(12.9898), shape));
  writeFileSync(path("other.npy"), writeNpy(values(7.1), shape));
  writeFileSync(path("nan.npy"), writeNpy(values(12.9898).fill(Number.NaN, 3, 4), shape));
  writeFileSync(
    path("two.npz"),
    writeNpz({ a: { values: values(3), shape }, pressure: { values: values(12.9898), shape } }),
  );
  const made = await run(
    "partition",
    "u.npy",
    ...["--clients", "3", "--min-size", "4", "--alpha", "1", "--bins", "4", "--out", "p.json"],
  );
  expect(made).toMatchObject({ status: 0 });
});

describe("data of a partition", () => {
  it("are put into an export if they are those that it was made from", async () => {
    const flower = (...rest: string[]) =>
      run("export", "p.json", "--format", "flower", "--out", "f", ...rest);
    for (const file of ["other.npy", "nan.npy"]) {
      expect(await flower("--data", file)).toEqual({
        status: 1,
        stdout: "",
        stderr:
          `pde-dirichlet: ${file} does not hold the responses that p.json was made from (u.npy): ` +
          "take those, or add --other-data if the samples are the same\n",
      });
      expect(existsSync(path("f"))).toBe(false);
    }
    expect(await flower("--data", "u.npy")).toMatchObject({ status: 0 });
    expect(await flower("--data", "other.npy", "--other-data", "--force")).toMatchObject({ status: 0 });
  });

  it("are refused by an export that has no place for them", async () => {
    const csv = await run("export", "p.json", "--format", "csv", "--data", "u.npy");
    expect(csv).toMatchObject({
      status: 1,
      stderr: "pde-dirichlet: csv holds indices alone: leave out --data, or take --format flower\n",
    });
    const idle = await run("export", "p.json", "--format", "csv", "--responses", "u");
    expect(idle.stderr).toBe("pde-dirichlet: --responses speaks of --data: name the file\n");
  });

  it("are diagnosed if they are others only when that is asked for", async () => {
    const diagnose = (...rest: string[]) =>
      run("diagnose", "other.npy", "--partition", "p.json", "--quiet", ...rest);
    expect(await diagnose()).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "pde-dirichlet: other.npy does not hold the responses that p.json was made from (u.npy): " +
        "take those, or add --other-data if the samples are the same\n",
    });
    const others = await diagnose("--other-data");
    expect(others.status).toBe(0);
    expect(others.stderr).toBe(
      "pde-dirichlet: warning: other.npy does not hold the responses that p.json was made from.\n",
    );
    expect((await run("diagnose", "u.npy", "--partition", "p.json", "--quiet")).stderr).toBe("");
  });

  it("are named where they were chosen among several", async () => {
    const array = { values: values(3), shape };
    writeFileSync(path("heat.npz"), writeNpz({ y_train: array, X_train0: array, X_train1: array }));
    const base = ["--clients", "3", "--min-size", "4", "--alpha", "1", "--bins", "4", "--force"];
    const line =
      "heat.npz: inputs X_train0: 5 numbers; responses y_train: 5 numbers (60 samples); " +
      "not read: X_train1 (--responses and --inputs name others)\n";
    const partition = (...rest: string[]) =>
      run("partition", "heat.npz", ...base, "--out", "h.json", ...rest);
    expect((await partition()).stderr.startsWith(line)).toBe(true);
    expect((await partition("--responses", "y_train")).stderr).not.toContain("not read");
    expect((await partition("--quiet")).stderr).toBe("");
    const known = await run("diagnose", "heat.npz", "--partition", "h.json");
    expect(known.stderr).not.toContain("not read");
    writeFileSync(path("foreign.csv"), Array.from({ length: SAMPLES }, (_, i) => i % 3).join("\n"));
    const foreign = await run("diagnose", "heat.npz", "--partition", "foreign.csv", "--bins", "4");
    expect(foreign.stderr.startsWith(line)).toBe(true);
  });

  it("have the names that the partition noted", async () => {
    const base = ["--clients", "3", "--min-size", "4", "--alpha", "1", "--bins", "4", "--out", "named.json"];
    await run("partition", "two.npz", "--responses", "pressure", ...base);
    expect(await run("diagnose", "two.npz", "--partition", "named.json", "--quiet")).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect(await run("export", "named.json", "--format", "flower", "--data", "two.npz")).toMatchObject({
      status: 0,
    });
    // The same responses under no name are the same data.
    expect(
      await run("export", "named.json", "--format", "flower", "--data", "u.npy", "--force"),
    ).toMatchObject({ status: 0 });
    rmSync(path("named-flower"), { recursive: true });
    const asked = await run(
      ...["export", "named.json", "--format", "flower", "--data", "two.npz", "--responses", "a"],
    );
    expect(asked.stderr).toContain(
      "a of two.npz does not hold the responses that named.json was made from (pressure of two.npz)",
    );
  });
});
