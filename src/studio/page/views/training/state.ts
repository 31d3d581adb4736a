import workerAddress from "virtual:worker-address";
import { batch, computed, effect, type Signal, signal, untracked } from "@preact/signals";
import { proxy, type Remote, transfer, wrap } from "comlink";
import { checkRuns, parseRuns, type RunChanges } from "../../../training/run-list.js";
import { runNames } from "../../../training/run-names.js";
import type {
  Arrows,
  Picture,
  RunFacts,
  RunPlan,
  RunPoint,
  TrainingEvent,
  TrainingRequest,
} from "../../../training/trainer.js";
import { EMPTY, type Loadable, messageOf, presentOf } from "../../loadable.js";
import { data, lab, settings } from "../../state.js";
import { addLap, type Curves, emptyCurves } from "./curves/curves.js";
import type { TrainerService } from "./trainer-service.js";

/** What training is doing. */
export type Phase = "idle" | "opening" | "playing" | "pausing" | "paused" | "ended";

/** Runs that are open. Their curves grow without a new object; `curvesAt` says when. */
export interface OpenRuns {
  /** What they were opened with: settings that say something else are for the next ones. */
  readonly key: string;
  readonly runs: readonly RunChanges[];
  readonly names: readonly string[];
  readonly facts: readonly RunFacts[];
  readonly curves: Curves;
}

export interface Pace {
  readonly round: number;
  readonly milliseconds: readonly number[];
  /** Rounds of each run in a second. */
  readonly rate: number;
}

const NO_PACE: Pace = { round: 0, milliseconds: [], rate: NaN };

/** The runs that the settings name, and why they cannot be trained. */
export const wantedRuns = computed(
  (): { readonly runs: readonly RunChanges[]; readonly problem?: string } => {
    let runs: readonly RunChanges[] = [];
    try {
      runs = parseRuns(settings.value.runs);
      checkRuns(runs);
      return { runs };
    } catch (error) {
      return { runs, problem: messageOf(error) };
    }
  },
);

export const phase = signal<Phase>("idle");
/** What is being prepared, while runs are opened. */
export const preparing = signal<{ readonly words: string; readonly done?: number }>({ words: "" });
/** Why training could not begin or go on. */
export const failure = signal<string | undefined>(undefined);
export const openRuns = signal<OpenRuns | undefined>(undefined);
export const pace = signal<Pace>(NO_PACE);
/** Counts measured rounds that have arrived. */
export const curvesAt = signal(0);
/** The last point of every run; undefined of one that has diverged. */
export const lastPoints = signal<readonly (RunPoint | undefined)[]>([]);
export const arrows = signal<Arrows | undefined>(undefined);
export const picture = signal<Picture | undefined>(undefined);
/** Responses from which pictures have one scale for all samples. */
export const examples = signal<readonly (Float32Array | Float64Array)[]>([]);
/** What the runs will be, before they are opened. */
export const plan: Signal<Loadable<readonly (RunPlan | string)[]>> = signal(EMPTY);

/** Settings that runs depend on. */
const OWN = [
  ...(["task", "file", "data_seed", "train_samples", "test_samples", "parameters", "reading"] as const),
  ...(["alpha", "clients", "bins", "seed", "min_size", "repair", "partitioner", "split"] as const),
  ...(["runs", "local_steps", "batch", "size", "training"] as const),
];

/** Counts files that were read: one may have the name of another. */
const fileStamp = signal(0);
effect(() => {
  const { value } = data;
  if (value.kind === "ready" && value.value.origin.kind === "file") untracked(() => fileStamp.value++);
});

/** All of them, as text. */
const key = computed(() => {
  const { runs, training, rounds } = settings.value;
  // The number of rounds says how long, and no more, unless learning rates follow it.
  const isScheduled = /schedule/.test(runs + Object.keys(training));
  return JSON.stringify([OWN.map((name) => settings.value[name]), isScheduled && rounds, fileStamp.value]);
});

/** Whether the settings say something else than the runs that are open. */
export const isLeftBehind = computed(() => openRuns.value !== undefined && openRuns.value.key !== key.value);

/** The names of the runs on show: those that are open, else those that the settings name. */
export const shownNames = computed(
  () => openRuns.value?.names ?? runNames(settings.value, wantedRuns.value.runs),
);
export const shownRuns = computed(() => openRuns.value?.runs ?? wantedRuns.value.runs);
/** The run whose prediction and updates are on show. */
export const chosenRun = computed(() =>
  Math.min(settings.value.detail, Math.max(0, shownRuns.value.length - 1)),
);
/** The test sample on show. */
export const chosenSample = computed(() =>
  Math.min(settings.value.sample, Math.max(0, (presentOf(data.value)?.description.test ?? 1) - 1)),
);

interface Service {
  readonly worker: Worker;
  readonly remote: Remote<TrainerService>;
}
let service: Service | undefined;
/** Counts sessions: what an earlier one still says is not heard. */
let session = 0;

function trainer(): Remote<TrainerService> {
  if (!service) {
    const worker = new Worker(workerAddress, { type: "module", name: "training" });
    service = { worker, remote: wrap<TrainerService>(worker) };
  }
  return service.remote;
}

function requestOf(runs: readonly RunChanges[]): TrainingRequest | undefined {
  const facts = data.value.kind === "ready" ? data.value.value : undefined;
  if (!facts) return undefined;
  const { origin, description, coordinates, responseAxes } = facts;
  return {
    settings: settings.value,
    runs,
    data: { origin, description, coordinates, responseAxes },
    stamp: fileStamp.value,
  };
}

/** Starts training, or goes on after a pause. */
export async function play(): Promise<void> {
  if (!openRuns.value && !(await open())) return;
  failure.value = undefined;
  phase.value = "playing";
  await heeded(trainer().play(settings.value.rounds));
}

/** One round of all runs. */
export async function step(): Promise<void> {
  if (!openRuns.value && !(await open())) return;
  const own = session;
  failure.value = undefined;
  phase.value = "pausing";
  await heeded(trainer().step());
  if (own === session && phase.value === "pausing") phase.value = "paused";
}

export async function pause(): Promise<void> {
  const own = session;
  phase.value = "pausing";
  await heeded(trainer().pause());
  if (own === session && phase.value === "pausing") phase.value = "paused";
}

/** Milliseconds that a trainer has to end in good order, so that it keeps what it has loaded. */
const PATIENCE = 250;

/** Ends the runs at once, whatever they are doing. */
export function reset(): void {
  session++;
  batch(() => {
    phase.value = "idle";
    failure.value = undefined;
    openRuns.value = undefined;
    pace.value = NO_PACE;
    lastPoints.value = [];
    arrows.value = undefined;
    picture.value = undefined;
  });
  const ending = service;
  if (!ending) return;
  service = undefined;
  const late = setTimeout(() => ending.worker.terminate(), PATIENCE);
  ending.remote.close().then(
    () => {
      clearTimeout(late);
      if (service) ending.worker.terminate();
      else service = ending;
    },
    () => ending.worker.terminate(),
  );
}

/** Prepares the runs; false where they could not be, or were not wanted any more. */
async function open(): Promise<boolean> {
  const { runs, problem } = wantedRuns.value;
  const request = requestOf(runs);
  if (problem !== undefined || !request) return false;
  const own = ++session;
  const names = runNames(settings.value, runs);
  const curves = emptyCurves(runs.length);
  const openedWith = key.value;
  batch(() => {
    failure.value = undefined;
    preparing.value = { words: "Starting" };
    phase.value = "opening";
  });
  const early: TrainingEvent[] = [];
  const listener = (event: TrainingEvent) => {
    if (own !== session) return;
    if (event.kind === "progress") preparing.value = event;
    else if (openRuns.value) hear(event, openRuns.value);
    else early.push(event);
  };
  try {
    const { port1, port2 } = new MessageChannel();
    await lab.lend(transfer(port1, [port1]));
    const facts = await trainer().open(request, transfer(port2, [port2]), proxy(listener));
    if (own !== session) return false;
    const opened = { key: openedWith, runs, names, facts, curves };
    batch(() => {
      openRuns.value = opened;
      phase.value = "paused";
      for (const event of early) hear(event, opened);
    });
    void show();
    return true;
  } catch (error) {
    if (own !== session) return false;
    batch(() => {
      phase.value = "idle";
      failure.value = messageOf(error);
    });
    return false;
  }
}

function hear(event: TrainingEvent, { curves }: OpenRuns): void {
  switch (event.kind) {
    case "rounds":
      batch(() => {
        pace.value = event;
        if (event.laps.length === 0) return;
        for (const lap of event.laps) addLap(curves, lap);
        curvesAt.value++;
        lastPoints.value = completed(lastPoints.value, event.laps.at(-1)!.runs);
      });
      break;
    case "arrows":
      arrows.value = event.arrows;
      break;
    case "picture":
      picture.value = event.picture;
      break;
    case "examples":
      examples.value = event.responses;
      break;
    case "ended":
      batch(() => {
        phase.value = event.message === undefined ? "ended" : "paused";
        failure.value = event.message;
      });
  }
}

/** New points, with what was not measured again as it was. */
const completed = (
  before: readonly (RunPoint | undefined)[],
  points: readonly (RunPoint | undefined)[],
): readonly (RunPoint | undefined)[] =>
  points.map((point, i) => {
    const last = before[i];
    if (!point || !last) return point;
    const { worstClient } = Number.isNaN(point.clientWorst) ? last : point;
    const known = Object.entries(point).filter(([, value]) => !Number.isNaN(value));
    return { ...last, ...Object.fromEntries(known), worstClient };
  });

/** Tells an error of the trainer as a failure. */
async function heeded(work: Promise<void>): Promise<void> {
  const own = session;
  try {
    await work;
  } catch (error) {
    if (own !== session) return;
    batch(() => {
      phase.value = "paused";
      failure.value = messageOf(error);
    });
  }
}

async function show(): Promise<void> {
  if (openRuns.value) await heeded(trainer().show({ run: chosenRun.value, sample: chosenSample.value }));
}

/** Milliseconds after the last change before runs are planned. */
const QUIET = 300;

/** Follows the settings while the view is open: what runs will be, and which prediction is wanted. */
export function followTraining(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ends = [
    effect(() => {
      key.value;
      const isReady = data.value.kind === "ready";
      const isIdle = phase.value === "idle";
      clearTimeout(timer);
      if (isReady && isIdle) timer = setTimeout(() => untracked(makePlan), QUIET);
    }),
    effect(() => {
      chosenRun.value;
      chosenSample.value;
      untracked(show);
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const end of ends) end();
  };
}

async function makePlan(): Promise<void> {
  const request = requestOf(wantedRuns.value.runs);
  const own = key.value;
  if (!request || request.runs.length === 0) {
    plan.value = EMPTY;
    return;
  }
  try {
    const found = await trainer().plan(request);
    if (own === key.value) plan.value = { kind: "ready", value: found };
  } catch (error) {
    if (own === key.value) plan.value = { kind: "failed", message: messageOf(error) };
  }
}
