import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { z } from "zod";
import { FormatError, UserError } from "../../errors.js";
import { fileError } from "../../files/disk.js";
import type { Settings } from "../settings.js";
import { type ExternalPartition, readExternalPartition } from "./external-partition.js";
import {
  checkpointSchema,
  EXTERNAL_SCHEMA,
  EXTERNAL_SUFFIX,
  type ExternalCheckpoint,
  type ExternalHeader,
  FIXED_NAMES,
  failureSchema,
  headerSchema,
} from "./external-schema.js";

/** A run that another program trained and logged, as far as its file goes. */
export interface ExternalRun extends Pick<ExternalHeader, "task" | "seed" | "title" | "rounds"> {
  readonly sizes: readonly number[] | undefined;
  /** The name of its file, without the extension. */
  readonly id: string;
  readonly path: string;
  /** What stands for a study, if the run says so. */
  readonly study: string | undefined;
  /** Null for a split without a concentration. */
  readonly alpha: number | null;
  readonly split: string;
  readonly settings: Settings;
  readonly partition: ExternalPartition | undefined;
  readonly communication: number | undefined;
  readonly checkpoints: readonly LoggedCheckpoint[];
  /** Why it has no result: "diverged before round 10", "failed: out of memory". */
  readonly failure: string | undefined;
}

/** A checkpoint whose error is known, and the line that it stands on. */
export type LoggedCheckpoint = ExternalCheckpoint & { readonly test_error: number; readonly line: number };

/** A file of such a run: the run as far as it could be read, and what is wrong with the rest. */
export interface ExternalFile {
  readonly path: string;
  /** Undefined where not even its first line can be read. */
  readonly run: ExternalRun | undefined;
  /** One line that names the file and the line. */
  readonly problem: string | undefined;
}

/** Reads a file of a run. Whoever writes it may be at work: a half-written last line is ignored. */
export async function readExternalFile(path: string): Promise<ExternalFile> {
  const text = await readFile(path, "utf8").catch((error) => {
    throw fileError(error, path, "read");
  });
  const lines = linesOf(text);
  let run: ExternalRun | undefined;
  try {
    run = await begunRun(path, lines[0]);
    const { checkpoints, failure, problem } = loggedLines(run, lines.slice(1));
    return { path, run: { ...run, checkpoints, failure }, problem };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { path, run, problem: error.message };
  }
}

interface Line {
  readonly number: number;
  readonly text: string;
  /** Whether the line may still be written to. */
  readonly isOpen: boolean;
}

function linesOf(text: string): Line[] {
  const all = text.replace(/^\uFEFF/, "").split("\n");
  return all
    .map((line, i) => ({ number: i + 1, text: line.trim(), isOpen: i === all.length - 1 }))
    .filter((line) => line.text !== "" && !(line.isOpen && json(line) === undefined));
}

/** The value of a line; undefined where it is no JSON. Python's NaN and Infinity are read as null. */
function json({ text }: Pick<Line, "text">): unknown {
  for (const candidate of [text, text.replace(/(?<=[:[,]\s*)(?:NaN|-?Infinity)(?=\s*[,}\]])/g, "null")]) {
    try {
      return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}

/** A run of which the first line alone is known. */
async function begunRun(path: string, first: Line | undefined): Promise<ExternalRun> {
  if (first === undefined) throw new FormatError(`${path} is empty: its first line names the run's settings`);
  const { schema = EXTERNAL_SCHEMA, run } = parsed(headerSchema, first, path);
  if (schema !== EXTERNAL_SCHEMA)
    throw new FormatError(`${path}:${first.number}: schema is "${schema}", not "${EXTERNAL_SCHEMA}"`);
  const at = `${path}:${first.number}`;
  const partition =
    run.partition === undefined
      ? undefined
      : await readExternalPartition(join(dirname(path), run.partition), at, run.partition);
  for (const name of ["alpha", "clients", "bins"] as const) {
    const [own, its] = [run[name], partition?.[name]];
    if (typeof own === "number" && typeof its === "number" && own !== its)
      throw new FormatError(`${at}: ${name} is ${own}, but ${run.partition} has ${its}`);
  }
  if (run.sizes && partition && run.sizes.join() !== partition.sizes.join())
    throw new FormatError(`${at}: sizes are not those of ${run.partition}: leave them out`);
  const alpha = run.alpha ?? partition?.alpha ?? null;
  return {
    id: basename(path, EXTERNAL_SUFFIX),
    path,
    study: run.study,
    task: run.task,
    seed: run.seed,
    ...(run.title !== undefined && { title: run.title }),
    rounds: run.rounds,
    sizes: run.sizes ?? partition?.sizes,
    alpha,
    split: run.split ?? partition?.split ?? (alpha === null ? "unknown" : `alpha ${alpha}`),
    settings: { ...partition?.settings, ...settingsOfHeader(run) },
    partition,
    communication: run.communication,
    checkpoints: [],
    failure: undefined,
  };
}

/** Settings as our own records have them: federated averaging is what a run without a strategy uses. */
function settingsOfHeader(run: ExternalHeader): Settings {
  const told = Object.entries(run).filter(([name, value]) => !FIXED_NAMES.includes(name) && value !== null);
  const settings = Object.fromEntries(told) as Settings;
  if (typeof settings.strategy !== "string") return settings;
  const { strategy, ...others } = settings;
  const name = strategy.trim().toLowerCase();
  return name === "fedavg" ? others : { ...others, strategy: name };
}

type Logged = Pick<ExternalRun, "checkpoints" | "failure"> & Pick<ExternalFile, "problem">;

/** The lines after the first, up to the one that says how the run failed, or that cannot be read. */
function loggedLines({ path, partition, sizes }: ExternalRun, lines: readonly Line[]): Logged {
  const checkpoints: LoggedCheckpoint[] = [];
  const clients = partition?.clients ?? sizes?.length;
  for (const line of lines) {
    try {
      const value = json(line);
      const failed = failureSchema.safeParse(value);
      if (failed.success) return { checkpoints, failure: failed.data.failed, problem: undefined };
      const checkpoint = parsed(checkpointSchema, line, path);
      checkOrder(checkpoint, checkpoints.at(-1), `${path}:${line.number}`);
      checkClients(checkpoint, clients, `${path}:${line.number}`);
      const { round, test_error } = checkpoint;
      if (test_error === undefined)
        throw new FormatError(
          `${path}:${line.number}: test_error is missing: it is a fraction, such as 0.05`,
        );
      if (test_error === null)
        return { checkpoints, failure: `diverged before round ${round}`, problem: undefined };
      checkpoints.push({ ...checkpoint, test_error, line: line.number });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { checkpoints, failure: undefined, problem: error.message };
    }
  }
  return { checkpoints, failure: undefined, problem: undefined };
}

function checkOrder({ round }: ExternalCheckpoint, before: LoggedCheckpoint | undefined, at: string): void {
  if (before === undefined || round > before.round) return;
  const what = round === before.round ? "stands twice" : `follows round ${before.round}`;
  throw new FormatError(`${at}: round ${round} ${what} (line ${before.line}): rounds ascend`);
}

/** Lists of clients have the same number of entries. */
function checkClients({ clients = {} }: ExternalCheckpoint, count: number | undefined, at: string): void {
  const lists = Object.entries(clients).flatMap(([name, list]) =>
    list ? [[name, list.length] as const] : [],
  );
  const [, expected] = count === undefined ? (lists[0] ?? []) : ["", count];
  const other = lists.find(([, length]) => length !== expected);
  if (other) throw new FormatError(`${at}: clients.${other[0]} has ${other[1]} entries, not ${expected}`);
}

function parsed<T>(schema: z.ZodType<T>, line: Line, path: string): T {
  const value = json(line);
  if (value === undefined) throw new FormatError(`${path}:${line.number} is not JSON (half written?)`);
  const found = schema.safeParse(value);
  if (found.success) return found.data;
  const { path: field, message } = found.error.issues[0];
  throw new FormatError(`${path}:${line.number}: ${field.join(".") || "the line"}: ${message}`);
}
