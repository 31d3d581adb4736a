import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { UserError } from "../../src/errors.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { stream } from "../../src/random/stream.js";
import { readCsv, readParquet, writeCsv } from "../../src/records/seed-table.js";
import { collectRecords, refreshRecords } from "../../src/studies/collect-records.js";
import { inlineRunner, type Runner } from "../../src/studies/execution/runner.js";
import { Stopped } from "../../src/studies/execution/stopped.js";
import type { StudyPlan } from "../../src/studies/plan.js";
import { runStudy } from "../../src/studies/study.js";
import { verifyStudy } from "../../src/studies/verify.js";
import { studyFolders, tinyPlan } from "../studies/tiny-study.js";
import { damaged, EFFORT } from "./damage.js";

const fresh = studyFolders();
const TIMEOUT = 120_000 * EFFORT;
let plan: StudyPlan;
/** A finished study and its table, and the same study as it was stopped after two of its three rounds. */
let finished: string;
let paused: string;
let table: string;

const runner = (study: string) => inlineRunner(study, { device: "cpu" });

beforeAll(async () => {
  plan = await tinyPlan(
    "seeds=[0]",
    "tasks=[{task: antiderivative, train: 16, test: 4, model: {width: 4}}]",
    "partition={bins: 2, min_size: 2}",
    "federation.rounds=3",
    "backend=reference", // starts at once
  );
  finished = fresh();
  await runStudy(finished, plan, runner);
  table = writeCsv(await collectRecords(finished));
  paused = fresh();
  // Each run is told to stop on its own, so that both leave a state.
  const stopping = (study: string): Runner => ({
    ...runner(study),
    run: async (batch) => {
      const one = runner(study);
      const outcomes = await one.run(batch, (_, round) => void (round === 2 && one.stop()));
      return outcomes.map((outcome) =>
        outcome.status === "rejected" && outcome.reason instanceof Stopped
          ? { status: "rejected", reason: new UserError("stopped") }
          : outcome,
      );
    },
  });
  await runStudy(paused, plan, stopping);
  for (const { id } of plan.runs) expect(existsSync(join(paused, "runs", id, "state.npz"))).toBe(true);
});

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** A copy of a folder with one file damaged, or lost, or replaced by that of another run; the same for the same number. */
function harmed(folder: string, number: number, pattern = /./): { own: string; file: string; what: string } {
  const random = stream(number, "file");
  const files = filesOf(folder).filter((file) => pattern.test(file));
  const file = files[Math.floor(random.uniform() * files.length)];
  const own = fresh();
  cpSync(folder, own, { recursive: true });
  const path = join(own, file);
  const kind = random.uniform();
  const twin = files.find((other) => other !== file && other.split("/").at(-1) === file.split("/").at(-1));
  if (kind < 0.05) {
    rmSync(path);
    return { own, file, what: `${number}: ${file} is gone` };
  }
  if (kind < 0.1 && twin) {
    cpSync(join(folder, twin), path);
    return { own, file, what: `${number}: ${file} is that of another run` };
  }
  const { bytes, what } = damaged(new Uint8Array(readFileSync(path)), number);
  writeFileSync(path, bytes);
  return { own, file, what: `${number}: ${file}: ${what}` };
}

/** Rows without the name of their study: without its file, runs are taken for those of `train`. */
const numbersOf = (csv: string) =>
  csv
    .split("\n")
    .map((line) => line.replace(/^[^,]*,/, ""))
    .sort();

/** Whether a file says the same as before, however its text is laid out. */
async function saysTheSame(own: string, file: string): Promise<boolean> {
  if (!existsSync(join(own, file))) return false;
  const [before, now] = [finished, own].map((folder) => new Uint8Array(readFileSync(join(folder, file))));
  const contents = (bytes: Uint8Array): unknown => {
    if (file.endsWith(".json")) return JSON.parse(new TextDecoder().decode(bytes));
    if (file.endsWith(".csv")) return readCsv(new TextDecoder().decode(bytes), file);
    if (file.endsWith(".parquet")) return readParquet(bytesInMemory(bytes, file));
    return [...bytes];
  };
  try {
    return isDeepStrictEqual(await contents(before), await contents(now));
  } catch {
    return false;
  }
}

/** What comes of something; an error that is no one-line message for the user fails the test. */
async function outcomeOf<T>(what: string, work: () => Promise<T>): Promise<T | "refused"> {
  try {
    return await work();
  } catch (error) {
    expect(error, what).toBeInstanceOf(UserError);
    expect((error as Error).message, what).not.toContain("\n");
    return "refused";
  }
}

describe("a finished study with a damaged file", () => {
  it(
    "is noticed by verify, and never reported on or repeated with other numbers",
    async () => {
      for (let number = 0; number < 120 * EFFORT; number++) {
        const { own, file, what } = harmed(finished, number);
        const isSame = await saysTheSame(own, file);
        const verified = await outcomeOf(what, () => verifyStudy(own));
        const isNoticed = verified === "refused" || verified.problems.length > 0 || verified.unfinished > 0;
        if (!isSame) expect(isNoticed, what).toBe(true);
        const reported = await outcomeOf(what, () => refreshRecords(own));
        if (reported !== "refused") expect(numbersOf(writeCsv(reported)), what).toEqual(numbersOf(table));
        const repeated = await outcomeOf(what, () => runStudy(own, plan, runner));
        if (repeated !== "refused") {
          expect(repeated, what).toMatchObject({ failed: [], finished: 2 });
          expect(readFileSync(join(own, "records.csv"), "utf8"), what).toBe(table);
        }
        rmSync(own, { recursive: true });
      }
    },
    TIMEOUT,
  );
});

describe("a stopped study with a damaged file", () => {
  it(
    "ends with the numbers of one that was never stopped, or says why not",
    async () => {
      let ended = 0;
      const cases = 16 * EFFORT;
      for (let number = 0; number < cases; number++) {
        const { own, what } = harmed(paused, number, /state\.npz$|journal\.jsonl$|run\.json$/);
        const outcome = await outcomeOf(what, () => runStudy(own, plan, runner));
        if (outcome !== "refused") {
          ended++;
          expect(outcome, what).toMatchObject({ failed: [], finished: 2 });
          expect(writeCsv(await collectRecords(own)), what).toBe(table);
          expect((await verifyStudy(own)).problems, what).toEqual([]);
        }
        rmSync(own, { recursive: true });
      }
      expect(ended).toBe(cases); // a run that is not finished can always begin again
    },
    TIMEOUT,
  );
});

describe("a table without its runs", () => {
  it(
    "is read as it was written, or refused",
    async () => {
      const good = new Uint8Array(readFileSync(join(finished, "records.parquet")));
      for (let number = 0; number < 2000 * EFFORT; number++) {
        const { bytes, what } = damaged(good, number);
        const read = await outcomeOf(what, () => readParquet(bytesInMemory(bytes, "records.parquet")));
        expect(read === "refused" || writeCsv(read) === table, `${number}: ${what}`).toBe(true);
      }
    },
    TIMEOUT,
  );
});
