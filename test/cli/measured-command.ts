import { spawn } from "node:child_process";
import { BIN, type Outcome } from "./command.js";

/** What a command printed, and what it took. */
export interface MeasuredOutcome extends Outcome {
  /** Seconds of processor time, which do not depend on what else the machine does. */
  readonly seconds: number;
  /** Largest amount of memory at any time. */
  readonly megabytes: number;
}

/** Tells, at the end of a process, what it took: as JSON on its fourth file. */
const MEASURE = `
import { writeSync } from "node:fs";
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const measured = { seconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 };
  writeSync(3, JSON.stringify(measured));
});`;

/** Runs the command and measures it. One that aborts has status 134 and took no end of everything. */
export function runMeasured(folder: string, ...args: readonly string[]): Promise<MeasuredOutcome> {
  const measure = `data:text/javascript,${encodeURIComponent(MEASURE)}`;
  const child = spawn(process.execPath, ["--import", measure, BIN, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: { ...process.env, PDE_DIRICHLET_CACHE: `${folder}/cache` },
    timeout: 50_000,
  });
  const texts = ["", "", "", ""];
  child.stdio.forEach((stream, i) => {
    stream?.on("data", (chunk) => {
      texts[i] += chunk;
    });
  });
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      const nothing = { seconds: Infinity, megabytes: Infinity };
      const measured = texts[3] === "" ? nothing : JSON.parse(texts[3]);
      const status = code ?? (signal === "SIGABRT" ? 134 : 137);
      resolve({ status, stdout: texts[1], stderr: texts[2], ...measured });
    });
  });
}
