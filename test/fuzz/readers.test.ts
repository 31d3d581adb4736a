import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeNpy } from "../../src/index.js";
import { BIN } from "../cli/command.js";

/** Damaged files of every format. `PDE_DIRICHLET_FUZZ=20` reads twenty times as many; they are the same every time. */
const TIMES = Math.max(1, Number(process.env.PDE_DIRICHLET_FUZZ) || 1);
const CASES = 80 * TIMES;
/** Files of arrays come from anywhere, and their readers are all our own. */
const ARRAY_CASES = 2000 * TIMES;
/** A case that takes longer hangs. Processor time would tell better, but a process that hangs cannot say it. */
const LIMIT_SECONDS = 30;
const MOST_SECONDS = 2;
const MOST_ARRAY_SECONDS = 1;
const MOST_MEGABYTES = 1000;

const ARRAY_FORMATS = [
  ...["mat5", "mat5 variable", "torch", "torch pickle", "netcdf3", "strided npy", "npz objects"],
];
const FORMATS = [
  ...[
    "npy",
    "npz",
    "zip",
    "hdf5",
    "layouts",
    ...ARRAY_FORMATS,
    "pickle",
    "table",
    "json",
    "partition",
    "braces",
  ],
  ...["safetensors", "parquet", "records", "study", "data"],
];

interface Reply {
  readonly failure?: string;
  readonly seconds: number;
  readonly megabytes: number;
}

const folder = mkdtempSync(join(tmpdir(), "fuzz-"));
let reader: ChildProcess | undefined;
beforeAll(() => {
  const values = Float64Array.from({ length: 80 }, (_, i) => Math.sin(i * 12.9898));
  writeFileSync(join(folder, "responses.npy"), writeNpy(values, [20, 4]));
  const sizes = ["--clients", "2", "--bins", "3", "--min-size", "2", "--alpha", "1"];
  const args = ["partition", "responses.npy", ...sizes, "--out", "partition.json", "--quiet"];
  execFileSync(process.execPath, [BIN, ...args], { cwd: folder, stdio: "pipe" });
});
afterAll(() => {
  reader?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** The next message of the process, or what happened instead: it ended, or said nothing for too long. */
function reply<T>(child: ChildProcess): Promise<T | "aborted" | "hung"> {
  return new Promise((resolve) => {
    const finish = (answer: T | "aborted" | "hung") => {
      clearTimeout(timer);
      child.off("message", onMessage);
      child.off("exit", onExit);
      resolve(answer);
    };
    const onMessage = (message: unknown) => finish(message as T);
    const onExit = () => finish("aborted");
    const timer = setTimeout(() => finish("hung"), LIMIT_SECONDS * 1000);
    child.on("message", onMessage);
    child.on("exit", onExit);
  });
}

async function startReader(): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, "reader-process.mjs"), [folder], {
    execArgv: ["--max-old-space-size=800"],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  expect(await reply(child)).toEqual({ formats: FORMATS });
  return child;
}

/** The HDF5 library leaves files open in which it met an error: a process reads so many of these formats. */
const MOST_CASES = 400;
const ON_DISK = ["hdf5", "layouts", "data", "zip"];

/** Cases beyond the usual ones that once failed. */
const KNOWN: Readonly<Record<string, readonly number[]>> = { layouts: [1008, 1447] };

/** Has a damaged file read; says what went wrong, if anything did. */
async function failureOf(format: string, index: number): Promise<string | undefined> {
  if (ON_DISK.includes(format) && index % MOST_CASES === MOST_CASES - 1) {
    reader?.kill("SIGKILL");
    reader = undefined;
  }
  reader ??= await startReader();
  const waiting = reply<Reply>(reader);
  reader.send({ format, index });
  const answer = await waiting;
  if (typeof answer === "object") {
    if (answer.failure) return answer.failure;
    const most = ARRAY_FORMATS.includes(format) ? MOST_ARRAY_SECONDS : MOST_SECONDS;
    if (answer.seconds > most) return `took ${answer.seconds} s`;
    return answer.megabytes > MOST_MEGABYTES ? `took ${answer.megabytes} MB` : undefined;
  }
  reader.kill("SIGKILL");
  reader = undefined;
  return answer;
}

describe("a damaged file is read or refused with a line for the user", () => {
  it.each(FORMATS)(
    "%s",
    async (format) => {
      const failures: string[] = [];
      const cases = ARRAY_FORMATS.includes(format) ? ARRAY_CASES : CASES;
      const indices = [...Array.from({ length: cases }, (_, index) => index), ...(KNOWN[format] ?? [])];
      for (const index of indices) {
        const failure = await failureOf(format, index);
        if (failure !== undefined) failures.push(`${format} ${index}: ${failure}`);
        if (failures.length === 3) break;
      }
      expect(failures).toEqual([]);
    },
    120_000 * TIMES,
  );
});
