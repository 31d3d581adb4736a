import { constants } from "node:fs";
import { access, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileError, nearestFolder } from "../../files/disk.js";
import type { KnownRun, TrackedEnd, TrackedPoint, TrackedRun, Tracker, TrackerEntry } from "../tracker.js";
import { END_SUFFIX, eventFiles, loggedRun } from "./event-files.js";
import { EventWriter } from "./event-writer.js";
import { pluginEvent, scalarsEvent, sessionEvent } from "./events.js";
import { ExperimentFile } from "./experiment-file.js";
import { END_TAG, endData, HPARAMS, START_TAG, startData } from "./hparams.js";

/** Event files for TensorBoard: a folder per run, scalars by round, settings for the table of runs. */
export const tensorboard: TrackerEntry = {
  title: "TensorBoard",
  usage: "tensorboard[:folder]",
  choose(place, { folder, studies, experiment }) {
    const target = place ?? join(folder, "tensorboard");
    return {
      words: place === undefined ? "tensorboard" : `tensorboard:${place}`,
      look: `tensorboard --logdir ${target}`,
      async open() {
        // It is made with the first run.
        await access(await nearestFolder(resolve(target)), constants.W_OK | constants.X_OK).catch((error) => {
          throw fileError(error, target, "write");
        });
        return new EventFolder(target, await ExperimentFile.open(target, experiment ?? studies.join(", ")));
      },
    };
  },
};

/** The facts about a run, on the page of texts. */
const FACTS_TAG = "facts";

function factsTable(facts: TrackedRun["facts"]): Uint8Array {
  const rows = Object.entries(facts).map(([name, value]) => `| ${name} | ${value.replace(/[|\n]/g, " ")} |`);
  return new TextEncoder().encode(["| fact | value |", "|---|---|", ...rows].join("\n"));
}

class EventFolder implements Tracker {
  readonly #writers = new Map<string, EventWriter>();

  constructor(
    private readonly folder: string,
    private readonly experiment: ExperimentFile,
  ) {}

  async begin(run: TrackedRun): Promise<KnownRun> {
    const folder = join(this.folder, run.id);
    const { attempt, hasStart, ...known } = await loggedRun(folder);
    await this.experiment.add(run.params);
    const isOther = attempt !== undefined && attempt !== run.attempt;
    if (isOther) await this.#forgetEnd(folder);
    if (isOther || !hasStart) {
      const content = startData(run.params, run.started);
      const events = [
        sessionEvent(run.started, 0),
        pluginEvent(run.started, FACTS_TAG, "text", { string: factsTable(run.facts) }),
        ...(hasStart ? [] : [pluginEvent(run.started, START_TAG, HPARAMS, { content })]),
      ];
      await (await this.#writer(run)).write(events);
    }
    return isOther ? { round: -1, compared: -1, status: undefined } : known;
  }

  async log(run: TrackedRun, points: readonly TrackedPoint[]): Promise<void> {
    await this.#forgetEnd(join(this.folder, run.id), points);
    const writer = await this.#writer(run);
    await writer.write(points.map(({ time, round, metrics }) => scalarsEvent(time, round, metrics)));
  }

  async end(run: TrackedRun, { status, time, metrics, round }: TrackedEnd): Promise<void> {
    await this.#close(run.id);
    const folder = join(this.folder, run.id);
    await this.#forgetEnd(folder);
    const file = await EventWriter.open(folder, run.attempt, END_SUFFIX);
    try {
      const content = endData(status, time);
      await file.write([
        ...(Object.keys(metrics).length > 0 ? [scalarsEvent(time, round, metrics)] : []),
        pluginEvent(time, END_TAG, HPARAMS, { content }),
      ]);
    } finally {
      await file.close();
    }
  }

  async close(): Promise<void> {
    for (const id of [...this.#writers.keys()]) await this.#close(id);
  }

  async #writer(run: TrackedRun): Promise<EventWriter> {
    const known =
      this.#writers.get(run.id) ?? (await EventWriter.open(join(this.folder, run.id), run.attempt));
    this.#writers.set(run.id, known);
    return known;
  }

  async #close(id: string): Promise<void> {
    const writer = this.#writers.get(id);
    this.#writers.delete(id);
    await writer?.close();
  }

  /** Removes how a run ended, since it goes on: TensorBoard would keep the first end that it reads. */
  async #forgetEnd(folder: string, points: readonly TrackedPoint[] = []): Promise<void> {
    // A comparison with the reference comes after the end.
    if (points.length > 0 && points.every(({ metrics }) => !("test_error" in metrics))) return;
    for (const name of (await eventFiles(folder)).filter((one) => one.endsWith(END_SUFFIX)))
      await rm(join(folder, name), { force: true });
  }
}
