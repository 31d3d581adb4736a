import { describe, expect, it } from "vitest";
import { FormatError } from "../../src/errors.js";
import { runOptions } from "../../src/federation/run-options.js";
import { canonicalJson, parametersSha256 } from "../../src/records/content-hash.js";
import { parseRun, runId, runJson } from "../../src/records/run-record.js";
import { recordedOptions } from "../../src/studies/recorded-options.js";
import { sampleRun } from "./sample-run.js";

describe("the record of a run", () => {
  it("comes back from its JSON", async () => {
    expect(await parseRun(await runJson(sampleRun), "run.json")).toEqual(sampleRun);
    const { result: _, ...running } = { ...sampleRun, status: "running" as const };
    expect(await parseRun(await runJson(running), "run.json")).toEqual(running);
  });

  it("closes with its result and its digest, one line a field", async () => {
    const lines = (await runJson(sampleRun)).trimEnd().split("\n");
    expect(lines.at(-3)).toMatch(/^ {2}"result": \{.*"parameters_sha256":/);
    expect(lines.at(-2)).toMatch(/^ {2}"sha256": "[0-9a-f]{64}"$/);
    expect(lines.length).toBe(Object.keys(sampleRun).length + 3);
  });

  it("is refused when anything in it was changed: a number, a name, a word, or the digest", async () => {
    const text = await runJson(sampleRun);
    for (const [from, to] of [
      ['"d_sol":1', '"d_sol":7'],
      ['"input_w1"', '"input_v1"'],
      ["2026-01-01T00:01", "2026-01-01T00:02"],
      ['"sha256": "', '"sha256": "0'],
      ['"sha256": "', '"sha25v": "'],
      ["run/4", "run/2"],
    ]) {
      const changed = text.replace(from, to);
      expect(changed).not.toBe(text);
      await expect(parseRun(changed, "run.json")).rejects.toThrow(
        /^run.json is damaged or was edited \(wrong sha256\): restore a copy, or delete/,
      );
    }
    const laidOut = JSON.stringify(JSON.parse(text), null, 4); // says the same
    expect(await parseRun(laidOut, "run.json")).toEqual(sampleRun);
  });

  it("is read in the earlier layout, which has no digest", async () => {
    const earlier = { ...sampleRun, schema: "pde-dirichlet/run/2" } as const;
    expect(await parseRun(JSON.stringify(earlier), "run.json")).toEqual(earlier);
  });

  it.each([
    ['{"schema": ', "run.json is not JSON (truncated?)"],
    ["{}", "run.json is not the record of a run: schema"],
    [JSON.stringify({ ...sampleRun, id: 3 }), "run.json is not the record of a run: id"],
  ])("is refused in one line when it is something else: %#", async (text, message) => {
    await expect(parseRun(text, "run.json")).rejects.toThrow(FormatError);
    await expect(parseRun(text, "run.json")).rejects.toThrow(message);
  });
});

describe("the name of a run", () => {
  const given = { task: "burgers", alpha: 0.1, seed: 42 } as const;
  const id = (more: object = {}) => runId(recordedOptions(runOptions({ ...given, ...more })));

  it("is the same for ever", async () => {
    expect(await id()).toMatchInlineSnapshot(`"burgers-nu-0.1-k-10-adam-alpha-0.1-seed-42-ddee7e01cc"`);
    const first = "pde-dirichlet/partition/1"; // names of runs that were drawn by it stay as they were
    expect(await runId(recordedOptions(runOptions(given)), first)).toMatch(/-3a7ca958f5$/);
    expect(await id({ parameters: { viscosity: 0.1 }, rounds: 1000 })).toBe(await id());
    expect(await id({ tf32: false })).toBe(await id());
  });

  it("changes with everything that determines the result", async () => {
    const changes = [
      {},
      { alpha: 1 },
      { seed: 1 },
      { parameters: { viscosity: 0.05 } },
      { normalise: "standard" },
      { model: { width: 32 } },
      { train: 700 },
      { test: 100 },
      { clients: 20 },
      { bins: 5 },
      { minSize: 8 },
      { repair: "largest" },
      { rounds: 50 },
      { localSteps: 1 },
      { batch: 32 },
      { optimizer: { name: "adam", rate: 1e-4 } },
      { optimizer: { name: "sgd", rate: 1e-2, momentum: 0.9 } },
      { clientState: "reset" },
      { backend: "reference" },
      { tf32: true },
    ];
    const ids = await Promise.all(changes.map(id));
    expect(new Set(ids).size).toBe(changes.length);
    for (const name of ids)
      expect(name).toMatch(/^burgers-nu-0\.\d+-k-\d+-(adam|sgd)-alpha-[\d.]+-seed-\d+-[0-9a-f]{10}$/);
  });
});

describe("the name of a run on imported data", () => {
  const given = { task: "antiderivative", alpha: 0.1, seed: 42 } as const;
  const file = {
    task: "antiderivative",
    origin: "imported from there",
    seed: 0,
    parameters: {},
    train: 300,
    test: 100,
  };
  const id = (data: { file: string; sha256: string }) =>
    runId(recordedOptions(runOptions({ ...given, data: { ...file, ...data } })));

  it("says so, and follows from what the file holds, not from where it lies", async () => {
    const here = await id({ file: "a.h5", sha256: "00" });
    expect(here).toMatch(/^imported-antiderivative-k-10-adam-alpha-0.1-seed-42-/);
    expect(await id({ file: "elsewhere/b.h5", sha256: "00" })).toBe(here);
    expect(await id({ file: "a.h5", sha256: "01" })).not.toBe(here);
  });
});

describe("content hashes", () => {
  it("are those of little-endian float32", async () => {
    // printf '\x00\x00\x80\x3f\x00\x00\x00\xc0' | sha256sum
    expect(await parametersSha256(Float32Array.of(0, 1, -2).subarray(1))).toBe(
      "ee4ac73c2bd27756ab82780f27c73a7bc4d3f0bb6acb37e008bc27eccd7e588b",
    );
  });

  it("do not depend on the order of keys", () => {
    expect(canonicalJson({ b: [1, { d: null, c: "x" }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
  });
});
