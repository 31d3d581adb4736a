import { cpSync, existsSync, mkdirSync } from "node:fs";
import type { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { runFolder } from "../../../src/records/run-folder.js";
import { inlineRunner, type Runner } from "../../../src/studies/execution/runner.js";
import type { StudyPlan } from "../../../src/studies/plan.js";
import { studyStatus } from "../../../src/studies/status.js";
import { runStudy } from "../../../src/studies/study.js";
import { runHashes } from "../run-hashes.js";
import { studyFolders, tinyPlan } from "../tiny-study.js";

/** Records whose first, third, ... request meets a file that another machine has just replaced. */
const stale = { isOn: false, met: 0 };
vi.mock("node:fs/promises", async (original) => {
  const real = await original<{ readFile: typeof readFile }>();
  const faulty = (async (path: string, ...rest: [BufferEncoding]) => {
    if (stale.isOn && /(run|tiny)\.json$/.test(path) && stale.met++ % 2 === 0)
      throw Object.assign(new Error("ESTALE: stale file handle"), { code: "ESTALE" });
    return real.readFile(path, ...rest);
  }) as unknown as typeof readFile;
  return { ...real, readFile: faulty };
});
afterEach(() => {
  stale.isOn = false;
});

const fresh = studyFolders();
let plan: StudyPlan;
let alone: ReturnType<typeof runHashes>;
/** The record and the state of a run as they were on its way. */
let halfway: string;

beforeAll(async () => {
  plan = await tinyPlan();
  const folder = fresh();
  halfway = fresh();
  const [first] = plan.runs;
  const own = runFolder(folder, first.id);
  const copying = (study: string): Runner => {
    const real = inlineRunner(study, { saveEvery: 0 });
    return {
      ...real,
      run: (batch, onRound, onFinish) =>
        real.run(
          batch,
          (run, round) => {
            if (run.id === first.id && existsSync(join(own, "state.npz")))
              for (const file of ["run.json", "state.npz"]) cpSync(join(own, file), join(halfway, file));
            onRound(run, round);
          },
          onFinish,
        ),
    };
  };
  await runStudy(folder, plan, copying);
  expect(existsSync(join(halfway, "state.npz"))).toBe(true);
  alone = runHashes(folder);
});

describe("a folder on a network file system", () => {
  it("gives the same records where files were replaced by another machine just as they are read", async () => {
    const folder = fresh();
    stale.isOn = true;
    expect(await runStudy(folder, plan, inlineRunner)).toMatchObject({ finished: 4, failed: [] });
    expect((await studyStatus(folder)).problems).toEqual([]);
    expect(stale.met).toBeGreaterThan(8);
    stale.isOn = false;
    expect(runHashes(folder)).toEqual(alone);
  });

  it.each([
    ["and the state from then", ["run.json", "state.npz"]],
    ["and no state", ["run.json"]],
  ])(
    "repeats rounds to the same bits where a finished run is still seen as it was before, %s",
    async (_, seen) => {
      const folder = fresh();
      await runStudy(folder, plan, inlineRunner);
      const own = runFolder(folder, plan.runs[0].id);
      mkdirSync(own, { recursive: true });
      for (const file of seen) cpSync(join(halfway, file), join(own, file)); // a rename that has not arrived
      const outcome = await runStudy(folder, plan, inlineRunner);
      expect(outcome).toMatchObject({ finished: 4, failed: [], hasTable: true });
      expect(runHashes(folder)).toEqual(alone);
    },
  );
});
