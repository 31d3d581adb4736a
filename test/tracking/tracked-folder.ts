import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { TrackedPoint, TrackedRun } from "../../src/tracking/tracker.js";

/** Fresh folders for a test file; all are removed at the end. */
export function freshFolders(): () => string {
  const root = mkdtempSync(join(tmpdir(), "pde-dirichlet-tracking-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => mkdtempSync(join(root, "f-"));
}

export const STARTED = Date.parse("2026-01-02T03:04:05Z");

export function sampleTrackedRun(change: Partial<TrackedRun> = {}): TrackedRun {
  return {
    id: "burgers-alpha-0.1-seed-0",
    study: "tiny",
    attempt: "pde-dirichlet 0.1.0 onnx",
    started: STARTED,
    params: { task: "burgers", alpha: 0.1, seed: 0, strategy: "fedavg", tf32: false },
    facts: { device: "a CPU", data_sha256: "00ff" },
    ...change,
  };
}

export const point = (round: number, more: TrackedPoint["metrics"] = {}): TrackedPoint => ({
  round,
  time: STARTED + 1000 * round,
  metrics: { test_error: 1 / (round + 1), ...more },
});
