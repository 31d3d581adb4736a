import type { Backend } from "../../engine/backend.js";
import type { Checkpoint } from "../../federation/open-training.js";
import { parameterDivergence } from "../../records/seed-record.js";
import type { BorrowedData } from "./borrowed-data.js";
import { cadence } from "./cadence.js";
import { factsOf, openPageRun, type PageRun } from "./page-run.js";
import type { PreparedRun } from "./prepared-runs.js";
import type { Arrows, Lap, Picture, PictureChoice, RunFacts, RunPoint } from "./trainer.js";

/** Runs side by side, one round of each in turn, so that all curves advance together. */
export interface Session {
  /** Rounds that all runs have done. */
  readonly round: number;
  readonly facts: readonly RunFacts[];
  /** The start of all runs, measured. */
  readonly start: Lap;
  /** Milliseconds of the last round of each run, without what was measured after it. */
  readonly milliseconds: readonly number[];
  /**
   * A round of every run.
   *
   * @param isComplete whether all is measured after it, whatever the time
   */
  lap(isComplete: boolean): Promise<{ readonly measured?: Lap; readonly arrows?: Arrows }>;
  /** What can be measured between two rounds; undefined if it was measured already. */
  measured(): Promise<Lap | undefined>;
  picture(choice: PictureChoice): Promise<Picture>;
  close(): Promise<void>;
}

/** Shares of the time that measuring may take: errors on the test set, and all the rest. */
const [ERRORS, ALL] = [0.25, 0.2];
/** Weight of the last round in the time of rounds. */
const RECENT = 0.2;
/** Times the error of the start from which on no training comes back. */
const BEYOND_RETURN = 1e6;

/**
 * @param backend of training
 * @param free the same for predictions, which are made while training is held
 */
export async function openSession(
  prepared: readonly PreparedRun[],
  data: BorrowedData,
  { backend, free }: { readonly backend: Backend; readonly free: Backend },
  onProgress: (words: string, done: number) => void,
): Promise<Session> {
  const runs: PageRun[] = [];
  const close = async () => {
    for (const run of runs) await run.close();
  };
  try {
    const facts: RunFacts[] = [];
    const points: RunPoint[] = [];
    for (const [i, one] of prepared.entries()) {
      onProgress(`Compiling run ${i + 1} of ${prepared.length}`, i / prepared.length);
      const run = await openPageRun(one, backend, free);
      runs.push(run);
      onProgress(`Measuring the start of run ${i + 1} of ${prepared.length}`, (i + 0.5) / prepared.length);
      const checkpoint = await run.checkpoint(0);
      facts.push(factsOf(run, checkpoint));
      points.push(pointOf(checkpoint, distance(run, runs[0])));
    }
    return laps(runs, data, { facts, start: { round: 0, runs: points }, close });
  } catch (error) {
    await close();
    throw error;
  }
}

function laps(
  runs: readonly PageRun[],
  data: BorrowedData,
  opened: Pick<Session, "facts" | "start" | "close">,
): Session {
  const { start } = opened;
  const errors = cadence(ERRORS);
  const all = cadence(ALL);
  const milliseconds = runs.map(() => 0);
  /** Rounds of each run that the time of a round is averaged over. */
  const timed = runs.map(() => 0);
  const startErrors = start.runs.map((point) => point!.testError);
  const diverged = new Set<PageRun>();
  const hasOwnModels = runs.some((run) => run.hasOwnModels);
  let round = 0;
  let last = start;

  async function measuredLap(isComplete: boolean): Promise<Lap> {
    const points: (RunPoint | undefined)[] = [];
    for (const [i, run] of runs.entries()) {
      const point = diverged.has(run) ? undefined : await measuredPoint(run, isComplete);
      // What has diverged costs time and shows nothing.
      const isLost = point && !(point.testError <= BEYOND_RETURN * Math.max(1, startErrors[i]));
      if (isLost) diverged.add(run);
      points.push(isLost ? undefined : point);
    }
    last = { round, runs: points };
    return last;
  }

  async function measuredPoint(run: PageRun, isComplete: boolean): Promise<RunPoint> {
    const dTheta = diverged.has(runs[0]) ? NaN : distance(run, runs[0]);
    if (isComplete) return pointOf(await run.checkpoint(round), dTheta);
    return { ...NOT_MEASURED, testError: await run.testError(), dLoc: run.dispersion() || NaN, dTheta };
  }

  return {
    ...opened,
    milliseconds,
    get round() {
      return round;
    },
    async lap(isComplete) {
      const began = performance.now();
      const isFull = isComplete || all.isDue(round + 1);
      for (const [i, run] of runs.entries()) {
        if (diverged.has(run)) continue;
        const from = performance.now();
        await run.next(isFull);
        const took = performance.now() - from;
        // The first round compiles programs, and a full one trains twice: they count until there is a plain one.
        if (!isFull) timed[i]++;
        if (!isFull || timed[i] === 0)
          milliseconds[i] += Math.max(RECENT, 1 / Math.max(1, timed[i])) * (took - milliseconds[i]);
      }
      round++;
      const trained = performance.now();
      if (isFull) {
        const measured = await measuredLap(true);
        // The updates are measured by a round of their own, before this one.
        const usual = milliseconds.reduce((sum, one) => sum + one, 0);
        all.done(round, performance.now() - began - usual);
        return { measured, arrows: { round, runs: runs.map((run) => arrowsOf(run, diverged)) } };
      }
      all.trained(trained - began);
      errors.trained(trained - began);
      if (hasOwnModels || !errors.isDue(round)) return {};
      const measured = await measuredLap(false);
      errors.done(round, performance.now() - trained);
      return { measured };
    },
    async measured() {
      const isKnown =
        last.round === round && last.runs.every((point) => !point || !Number.isNaN(point.trainLoss));
      return isKnown ? undefined : measuredLap(true);
    },
    async picture({ run, sample }) {
      const { inputs, responses } = data.loaded.test;
      const [input, truth] = [
        await inputs.read(sample, sample + 1),
        await responses.read(sample, sample + 1),
      ];
      const prediction = await runs[run].predict(Float32Array.from(input));
      return { run, sample, round, input: input.slice(), truth: truth.slice(), prediction };
    },
  };
}

const arrowsOf = (run: PageRun, diverged: ReadonlySet<PageRun>) =>
  diverged.has(run) ? undefined : run.arrows();

/** D_theta, as the paper measures it; not of the reference itself, nor of a model of another size. */
function distance(run: PageRun, reference: PageRun): number {
  if (run === reference) return NaN;
  const [own, other] = [run.parameters(), reference.parameters()];
  return own.length === other.length ? parameterDivergence(own, other) : NaN;
}

const NOT_MEASURED = { trainLoss: NaN, clientMean: NaN, clientWorst: NaN, worstClient: -1 };

function pointOf({ testError, trainLoss, localDispersion, clients }: Checkpoint, dTheta: number): RunPoint {
  const known = clients.testErrors.filter((error) => !Number.isNaN(error));
  const clientWorst = known.length > 0 ? Math.max(...known) : NaN;
  return {
    ...{ testError, trainLoss, dTheta, clientWorst },
    // Nobody has moved at the start, and a round of one client after another measures it only where that is wanted.
    dLoc: localDispersion || NaN,
    clientMean: known.reduce((sum, error) => sum + error, 0) / known.length,
    worstClient: clients.testErrors.indexOf(clientWorst),
  };
}
