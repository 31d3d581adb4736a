import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeFailure } from "../../src/records/run-failure.js";
import { RUN_FILES, runFolder } from "../../src/records/run-folder.js";
import { type RunRecord, runJson } from "../../src/records/run-record.js";
import { sampleRun } from "../records/sample-run.js";

/** A run whose files a test writes step by step, as training does. */
export interface GrowingRun {
  readonly id: string;
  readonly folder: string;
  begin(change?: Partial<RunRecord>): Promise<void>;
  /** Appends a checkpoint; `half` leaves the line unfinished. */
  checkpoint(round: number, half?: boolean): void;
  finish(): Promise<void>;
  fail(message: string): Promise<void>;
}

export function growingRun(study: string, id: string): GrowingRun {
  const folder = runFolder(study, id);
  const path = (file: keyof typeof RUN_FILES) => join(folder, RUN_FILES[file]);
  const { result, ...begun } = sampleRun;
  let record: RunRecord = { ...begun, id, status: "running" };
  return {
    id,
    folder,
    async begin(change) {
      mkdirSync(folder, { recursive: true });
      record = { ...record, ...change };
      writeFileSync(path("run"), await runJson(record));
      rmSync(path("failure"), { force: true });
    },
    checkpoint(round, half = false) {
      const line = JSON.stringify({
        round,
        test_error: 1 / (round + 1),
        train_loss: 2 / (round + 1),
        h_g_norm: round === 0 ? 0.25 : null,
        d_loc: 0.1 * round,
        parameters_sha256: "00",
        clients: {
          test_error: [0.5, null],
          train_loss: [0.1, 0.2],
          update: [round > 0 ? 0.5 : null, null],
          cosine: [null, null],
        },
        bins: { test_error: [0.1, 0.2] },
      });
      appendFileSync(path("journal"), half ? line.slice(0, 20) : `${line}\n`);
    },
    async finish() {
      writeFileSync(path("model"), "onnx");
      writeFileSync(path("run"), await runJson({ ...record, status: "finished", result }));
    },
    fail: (message) => writeFailure(folder, id, new Error(message)),
  };
}
