import { createHash } from "node:crypto";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { z } from "zod";
import { FormatError } from "../errors.js";
import { fileError } from "../files/disk.js";

/** One number a client or bin; null is what could not be told. */
const each = z.array(z.number().nullable());

const lineSchema = z.object({
  round: z.int().nonnegative(),
  test_error: z.number(),
  train_loss: z.number(),
  h_g_norm: z.number().nullable(),
  d_loc: z.number(),
  parameters_sha256: z.string(),
  /** Of single clients, and of single bins; earlier versions did not measure them. */
  clients: z.object({ test_error: each, train_loss: each, update: each, cosine: each }).optional(),
  bins: z.object({ test_error: each }).optional(),
});

/** What was measured at one checkpoint: a line of `journal.jsonl`. It holds no times, so that equal runs are equal. */
export type JournalLine = z.infer<typeof lineSchema>;

/**
 * The append-only list of checkpoint measurements of a run. Every line is on the disk before `append` returns; a
 * process that is killed leaves at most one half line, which is cut when the journal is opened again.
 */
export class Journal {
  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
    private readonly kept: JournalLine[],
    private readonly hash: ReturnType<typeof createHash>,
  ) {}

  /** Opens a journal to go on after round `upTo`: lines of later rounds and half lines are cut. */
  static async open(path: string, upTo: number): Promise<Journal> {
    const kept: JournalLine[] = [];
    const hash = createHash("sha256");
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, "a+");
      let end = 0;
      for (const text of wholeLines(await readFile(path, "utf8"))) {
        const line = parseJournalLine(text);
        if (!line || line.round > upTo) break;
        kept.push(line);
        hash.update(`${text}\n`);
        end += Buffer.byteLength(text) + 1;
      }
      await handle.truncate(end);
      return new Journal(path, handle, kept, hash);
    } catch (error) {
      await handle?.close();
      throw fileError(error, path, "write");
    }
  }

  /** The lines that are on the disk. */
  get lines(): readonly JournalLine[] {
    return this.kept;
  }

  /** SHA-256 of these lines, as the file has them. */
  get sha256(): string {
    return this.hash.copy().digest("hex");
  }

  async append(line: JournalLine): Promise<void> {
    const text = `${JSON.stringify(line)}\n`;
    try {
      await this.handle.appendFile(text);
      await this.handle.sync();
    } catch (error) {
      throw fileError(error, this.path, "write");
    }
    this.kept.push(line);
    this.hash.update(text);
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** The whole lines of a journal that may be written to at this moment; none if there is no journal. */
export async function journalSoFar(path: string): Promise<JournalLine[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  return wholeLines(text)
    .map(parseJournalLine)
    .filter((line) => line !== undefined);
}

/** The last of these lines. */
export async function lastJournalLine(path: string): Promise<JournalLine | undefined> {
  return (await journalSoFar(path)).at(-1);
}

/** The lines of a finished run's journal; a half or foreign line is a `FormatError`. */
export async function readJournal(path: string): Promise<JournalLine[]> {
  const text = await readFile(path, "utf8").catch((error) => {
    throw fileError(error, path, "read");
  });
  if (text !== "" && !text.endsWith("\n")) throw new FormatError(`${path} ends in half a line`);
  return wholeLines(text).map((line, index) => {
    const parsed = parseJournalLine(line);
    if (!parsed) throw new FormatError(`${path}:${index + 1}: not a line of a journal`);
    return parsed;
  });
}

function wholeLines(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

/** What a line of a journal says; undefined of one that is none. */
export function parseJournalLine(text: string): JournalLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
