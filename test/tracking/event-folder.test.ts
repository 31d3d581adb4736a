import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventFiles, readEvents } from "../../src/tracking/tensorboard/event-files.js";
import { EXPERIMENT_TAG, readExperiment, START_TAG } from "../../src/tracking/tensorboard/hparams.js";
import { tensorboard } from "../../src/tracking/tensorboard/tensorboard.js";
import type { Tracker } from "../../src/tracking/tracker.js";
import { freshFolders, point, STARTED, sampleTrackedRun } from "./tracked-folder.js";

const fresh = freshFolders();
const run = sampleTrackedRun();

async function using<T>(folder: string, use: (tracker: Tracker) => Promise<T>): Promise<T> {
  const choice = tensorboard.choose(folder, { folder: "unused", studies: ["tiny"] });
  const tracker = await choice.open(new AbortController().signal);
  try {
    return await use(tracker);
  } finally {
    await tracker.close();
  }
}

/** Steps of a tag over all event files of a run, in the order in which TensorBoard reads them. */
async function stepsOf(folder: string, tag = "test_error"): Promise<number[]> {
  const files = await eventFiles(folder);
  const events = await Promise.all(files.map((name) => readEvents(join(folder, name))));
  return events.flat().flatMap(({ step, tags }) => (tags.has(tag) ? [step] : []));
}

const end = (status: "finished" | "failed" | "killed", round = 5) =>
  ({ status, time: STARTED + 9000, metrics: { training_seconds: 9 }, round, files: [] }) as const;

describe("a folder of event files", () => {
  it("is named by --track, or lies in that of the study", () => {
    const context = { folder: "out/tiny", studies: ["tiny"] };
    expect(tensorboard.choose(undefined, context)).toMatchObject({
      words: "tensorboard",
      look: `tensorboard --logdir ${join("out/tiny", "tensorboard")}`,
    });
    expect(tensorboard.choose("tb", context)).toMatchObject({ words: "tensorboard:tb" });
  });

  it("is refused where nothing can be written, and not made before there is a run", async () => {
    const folder = fresh();
    writeFileSync(join(folder, "file"), "");
    await expect(using(join(folder, "file/tb"), async () => {})).rejects.toThrow("is a file, not a folder");
    await using(join(folder, "tb"), async () => {});
    expect(existsSync(join(folder, "tb"))).toBe(false);
  });

  it("has a run a folder, and says how far a run is logged when it is begun again", async () => {
    const folder = fresh();
    await using(folder, async (tracker) => {
      expect(await tracker.begin(run)).toEqual({ round: -1, compared: -1, status: undefined });
      await tracker.log(run, [point(0), point(1), point(5)]);
    });
    await using(folder, async (tracker) => {
      expect(await tracker.begin(run)).toEqual({ round: 5, compared: -1, status: undefined });
      await tracker.log(run, [point(10)]);
      await tracker.end(run, end("finished", 10));
      await tracker.log(run, [{ round: 10, time: STARTED, metrics: { excess_error: 0.5 } }]);
    });
    const own = join(folder, run.id);
    expect(await stepsOf(own)).toEqual([0, 1, 5, 10]);
    expect(await stepsOf(own, START_TAG)).toEqual([0]);
    expect(await stepsOf(own, "training_seconds")).toEqual([10]);
    await using(folder, async (tracker) => {
      expect(await tracker.begin(run)).toEqual({ round: 10, compared: 10, status: "finished" });
    });
  });

  it("never appends to a file of an earlier process, whose end may be half a record", async () => {
    const folder = fresh();
    await using(folder, async (tracker) => {
      await tracker.begin(run);
      await tracker.log(run, [point(0), point(1)]);
    });
    const own = join(folder, run.id);
    const [file] = await eventFiles(own);
    appendFileSync(join(own, file), Buffer.from("1d00000000000000", "hex")); // a record's length, and a crash
    await using(folder, async (tracker) => {
      expect(await tracker.begin(run)).toMatchObject({ round: 1 });
      await tracker.log(run, [point(2)]);
    });
    expect(await stepsOf(own)).toEqual([0, 1, 2]);
    expect((await eventFiles(own)).indexOf(file)).toBe(0);
    expect(await eventFiles(own)).toHaveLength(2);
  });

  it("begins a run anew that another device computes, since its bits may differ", async () => {
    const folder = fresh();
    await using(folder, async (tracker) => {
      await tracker.begin(run);
      await tracker.log(run, [point(0), point(1)]);
    });
    const other = { ...run, attempt: "pde-dirichlet 0.1.0 cuda" };
    await using(folder, async (tracker) => {
      expect(await tracker.begin(other)).toMatchObject({ round: -1 });
      await tracker.log(other, [point(0)]);
    });
    await using(folder, async (tracker) => expect(await tracker.begin(other)).toMatchObject({ round: 0 }));
    const events = await Promise.all(
      (await eventFiles(join(folder, run.id))).map((name) => readEvents(join(folder, run.id, name))),
    );
    expect(events.flat().filter(({ isSessionStart }) => isSessionStart)).toHaveLength(2);
  });

  it("forgets that a run failed as it goes on", async () => {
    const folder = fresh();
    await using(folder, async (tracker) => {
      await tracker.begin(run);
      await tracker.log(run, [point(0)]);
      await tracker.end(run, end("failed", 0));
    });
    await using(folder, async (tracker) => {
      expect(await tracker.begin(run)).toMatchObject({ status: "failed" });
      await tracker.log(run, [point(1)]);
    });
    await using(folder, async (tracker) =>
      expect(await tracker.begin(run)).toMatchObject({ round: 1, status: undefined }),
    );
  });

  it("has one file at the top with the settings of all runs, also of earlier calls", async () => {
    const folder = fresh();
    const columns = async () => {
      const files = await eventFiles(folder);
      expect(files).toHaveLength(1);
      const events = await readEvents(join(folder, files[0]));
      return readExperiment(events.find(({ tags }) => tags.has(EXPERIMENT_TAG))!.tags.get(EXPERIMENT_TAG)!);
    };
    await using(folder, async (tracker) => {
      await tracker.begin(run);
      expect((await columns()).get("alpha")).toEqual({ type: 3, differs: false });
      await tracker.begin(sampleTrackedRun({ id: "other", params: { alpha: 100, width: "auto" } }));
    });
    expect((await columns()).get("alpha")).toEqual({ type: 3, differs: true });
    await using(folder, (tracker) => tracker.begin(sampleTrackedRun({ id: "third", params: { width: 3 } })));
    const all = await columns();
    expect([...all.keys()].sort()).toEqual(["alpha", "seed", "strategy", "task", "tf32", "width"]);
    expect(all.get("width")).toEqual({ type: 1, differs: true });
    const before = readdirSync(folder).sort();
    await using(folder, (tracker) => tracker.begin(run));
    expect(readdirSync(folder).sort()).toEqual(before); // nothing is new
  });

  it("leaves files of others alone", async () => {
    const folder = fresh();
    mkdirSync(join(folder, run.id));
    writeFileSync(join(folder, run.id, "events.out.tfevents.1.else"), "not a record");
    writeFileSync(join(folder, "events.out.tfevents.1.else"), "not a record");
    await using(folder, async (tracker) => {
      expect(await tracker.begin(run)).toMatchObject({ round: -1 });
    });
    expect(existsSync(join(folder, run.id, "events.out.tfevents.1.else"))).toBe(true);
    expect(existsSync(join(folder, "events.out.tfevents.1.else"))).toBe(true);
  });
});
