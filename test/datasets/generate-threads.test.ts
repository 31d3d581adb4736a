import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GeneratedData, generate, type Samples } from "../../src/datasets/generate.js";
import { generateInThreads } from "../../src/datasets/generate-threads.js";

const OPTIONS = { task: "burgers", seed: 3, train: 20, test: 5 } as const; // three blocks of work

/** A dataset with a hash for every array. */
function hashes(dataset: GeneratedData): unknown {
  const hash = ({ samples, inputs, responses }: Samples) =>
    [inputs, responses].map((array) => [
      samples,
      createHash("sha256").update(new Uint8Array(array.buffer)).digest("hex"),
    ]);
  return { ...dataset, train: hash(dataset.train), test: hash(dataset.test) };
}

describe("generateInThreads", () => {
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-"));
  let compiled: typeof generateInThreads;

  // Threads need compiled files: build these few into a folder of their own.
  beforeAll(async () => {
    const config = {
      extends: resolve("tsconfig.build.json"),
      compilerOptions: {
        rootDir: resolve("src"),
        outDir: folder,
        declaration: false,
        typeRoots: [resolve("node_modules/@types")],
      },
      files: ["generate-threads.ts", "generate-worker.ts"].map((name) => resolve("src/datasets", name)),
      include: [],
    };
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    execFileSync(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", folder]);
    const url = pathToFileURL(join(folder, "datasets/generate-threads.js")).href;
    ({ generateInThreads: compiled } = await import(/* @vite-ignore */ url));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([1, 2, 3])("gives the bits of one thread with %i", async (threads) => {
    const reports: number[][] = [];
    const dataset = await compiled(OPTIONS, { threads, onProgress: (...report) => reports.push(report) });
    expect(hashes(dataset)).toEqual(hashes(generate(OPTIONS)));
    expect(reports).toHaveLength(25);
    expect(reports.at(-1)).toEqual([25, 25]);
  });

  it("hands the failure of a thread on", async () => {
    const failing = compiled(OPTIONS, {
      threads: 2,
      onProgress: () => {
        throw new Error("stop");
      },
    });
    await expect(failing).rejects.toThrow("stop");
  });

  it("ends when it is told to", async () => {
    const stop = new AbortController();
    const samples: number[] = [];
    const onProgress = (done: number) => {
      samples.push(done);
      stop.abort(new Error("enough"));
    };
    const stopped = compiled({ ...OPTIONS, train: 2000 }, { threads: 2, onProgress, signal: stop.signal });
    await expect(stopped).rejects.toThrow("enough");
    expect(samples.length).toBeLessThan(100);
    await expect(compiled(OPTIONS, { threads: 2, signal: stop.signal })).rejects.toThrow("enough");
  });

  it("ends when it is told to while this thread is busy, so that a thread's last answer and its end come at once", async () => {
    const busy = (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; );
    };
    for (let trial = 0; trial < 25; trial++) {
      const stop = new AbortController();
      const end = () => {
        busy(0.5 * (trial % 6)); // in which an answer may come
        stop.abort(new Error("enough"));
        busy(30);
      };
      let reports = 0;
      const onProgress = () => {
        if (++reports === 1 + (trial % 20)) setTimeout(end, 0);
      };
      const samples = { task: "antiderivative", seed: trial, train: 3000, test: 16 } as const;
      await expect(compiled(samples, { threads: 2, onProgress, signal: stop.signal })).rejects.toThrow(
        "enough",
      );
    }
  });

  it("works in the calling thread where no compiled worker lies beside it", async () => {
    expect(hashes(await generateInThreads(OPTIONS, { threads: 2 }))).toEqual(hashes(generate(OPTIONS)));
  });

  it("refuses bad options before it starts a thread", async () => {
    await expect(compiled({ ...OPTIONS, train: -1 }, { threads: 2 })).rejects.toThrow(/train = -1/);
  });
});
