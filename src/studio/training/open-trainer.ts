import type { Backend } from "../../engine/backend.js";
import { UserError } from "../../errors.js";
import { type BorrowedData, borrowData, exampleResponses } from "./borrowed-data.js";
import { type Gate, gated, openGate, Stopped } from "./gate.js";
import { type PreparedRun, runPreparer } from "./prepared-runs.js";
import { planRun } from "./round-estimate.js";
import { openSession, type Session } from "./session.js";
import type { Lap, PictureChoice, Trainer, TrainingListener } from "./trainer.js";

/** Milliseconds between two messages on rounds, and between two pictures. */
const [NEWS, PICTURES] = [50, 200];
/** Milliseconds of a lap from which on a pause does not wait for its end. */
const LONG = 250;

/** A trainer without runs. ONNX Runtime, or what takes its place, is loaded when training starts. */
export function openTrainer(loadBackend: () => Promise<Backend>): Trainer {
  let open: OpenRuns | undefined;
  /** The data of the last session: the next one often has the same. */
  let known: { readonly key: string; readonly data: Promise<BorrowedData> } | undefined;
  let opening: Gate | undefined;

  const close = async () => {
    opening?.stop();
    const last = open;
    open = undefined;
    await last?.close();
  };
  const runs = () => {
    if (!open) throw new UserError("there are no runs yet: press Start");
    return open;
  };
  return {
    plan: async (request) =>
      request.runs.map((run) => {
        try {
          return planRun(request, run);
        } catch (error) {
          if (error instanceof UserError) return error.message;
          throw error;
        }
      }),
    async open(request, lent, listener) {
      await close();
      const gate = openGate();
      opening = gate;
      const say = (words: string, done?: number) => listener({ kind: "progress", words, done });
      say("Loading ONNX Runtime");
      const backend = await loadBackend();
      say("Copying the samples");
      const key = JSON.stringify([request.data, request.stamp]);
      if (known?.key !== key) known = { key, data: borrowData(lent, request, say) };
      const data = await known.data.catch((error) => {
        known = undefined;
        throw error;
      });
      const prepare = runPreparer(data, request);
      const prepared: PreparedRun[] = [];
      for (const [i, run] of request.runs.entries()) {
        say(`Splitting the data of run ${i + 1} of ${request.runs.length}`);
        await gate.pass();
        prepared.push(
          await prepare(run).catch((error) => Promise.reject(ofRun(error, i, request.runs.length))),
        );
      }
      const backends = { backend: gated(backend, gate), free: backend };
      const session = await openSession(prepared, data, backends, say);
      opening = undefined;
      listener({ kind: "examples", responses: await exampleResponses(data) });
      open = openRuns(session, gate, listener);
      return session.facts;
    },
    play: async (rounds) => runs().play(rounds),
    pause: async () => open?.pause(),
    step: async () => runs().step(),
    show: async (choice) => open?.show(choice),
    close,
  };
}

/** A mistake of one run among several says which. */
const ofRun = (error: unknown, run: number, runs: number): unknown =>
  error instanceof UserError && runs > 1 ? new UserError(`run ${run + 1}: ${error.message}`) : error;

type OpenRuns = Pick<Trainer, "play" | "pause" | "step" | "show" | "close">;

function openRuns(session: Session, gate: Gate, listener: TrainingListener): OpenRuns {
  let until = 0;
  let isPlaying = false;
  let loop: Promise<void> | undefined;
  let choice: PictureChoice | undefined;
  let [told, pictured] = [0, 0];
  let laps: Lap[] = [session.start];
  const times: { round: number; at: number }[] = [];

  function tell() {
    const [first, last] = [times[0], times.at(-1)];
    const rate =
      first && last && last.at > first.at ? (1000 * (last.round - first.round)) / (last.at - first.at) : NaN;
    listener({ kind: "rounds", round: session.round, laps, milliseconds: [...session.milliseconds], rate });
    laps = [];
    told = performance.now();
  }

  async function picture() {
    if (!choice) return;
    pictured = performance.now();
    listener({ kind: "picture", picture: await session.picture(choice) });
  }

  async function lap(isComplete: boolean) {
    const { measured, arrows } = await session.lap(isComplete);
    if (measured) laps.push(measured);
    times.push({ round: session.round, at: performance.now() });
    if (times.length > 60 || times.at(-1)!.at - times[0].at > 3000) times.shift();
    if (arrows) listener({ kind: "arrows", arrows });
    if (performance.now() - told > NEWS) tell();
    if (performance.now() - pictured > PICTURES) await picture();
  }

  /** Rounds until there are enough, or the page wants no more. */
  async function run(isStep: boolean) {
    times.length = 0;
    times.push({ round: session.round, at: performance.now() });
    try {
      do await lap(isStep || session.round + 1 >= until);
      while (isPlaying && session.round < until);
      const rest = await session.measured();
      if (rest) laps.push(rest);
      tell();
      await picture();
      if (isPlaying && session.round >= until) listener({ kind: "ended" });
    } catch (error) {
      if (!(error instanceof Stopped))
        listener({ kind: "ended", message: error instanceof Error ? error.message : String(error) });
    }
    isPlaying = false;
    loop = undefined;
  }

  tell();
  return {
    async play(rounds) {
      until = rounds;
      if (session.round >= until) return;
      isPlaying = true;
      gate.release();
      loop ??= run(false);
    },
    async pause() {
      isPlaying = false;
      const isLong = session.milliseconds.reduce((sum, one) => sum + one, 0) > LONG;
      await (isLong ? Promise.race([loop, gate.hold()]) : loop);
      tell();
    },
    async step() {
      isPlaying = false;
      gate.release();
      loop ??= run(true);
      await loop;
    },
    async show(wanted) {
      choice = wanted;
      await picture();
    },
    async close() {
      gate.stop();
      isPlaying = false;
      await loop;
      await session.close();
    },
  };
}
