import { computed, effect, type ReadonlySignal, signal, untracked } from "@preact/signals";
import type { Inspection } from "../../../../datasets/files/inspection.js";
import type { DrawnParts } from "../../../drawn-sample.js";
import type { DataFacts, SampleView } from "../../../lab/lab.js";
import { NO_RANGES, type RangesView } from "../../../lab/value-ranges.js";
import { slicesIn } from "../../../sample-slices.js";
import type { StudioSettings } from "../../../settings.js";
import { givenFiles } from "../../given-files.js";
import { EMPTY, type Loadable, messageOf } from "../../loadable.js";
import { bins, change, data, dataKey, lab, view as openView, settings } from "../../state.js";

type Half = StudioSettings["half"];

/** The data as they are; undefined while there are none. */
export const facts: ReadonlySignal<DataFacts | undefined> = computed(() =>
  data.value.kind === "ready" ? data.value.value : undefined,
);

/** How many samples a half has. */
export const samplesOf = ({ description }: DataFacts, half: Half): number =>
  half === "train" ? description.train : description.test;

/** The half that is shown: that for training where there is no other. */
export const shownHalf = computed<Half>(() =>
  settings.value.half === "test" && facts.value && samplesOf(facts.value, "test") > 0 ? "test" : "train",
);

/** The sample that is shown: the last one where the address asks for one beyond it. */
export const shownSample = computed(() => {
  const most = facts.value ? samplesOf(facts.value, shownHalf.value) - 1 : 0;
  return Math.max(0, Math.min(settings.value.sample, most));
});

export const goTo = (sample: number): void => {
  if (!facts.value) return;
  const most = samplesOf(facts.value, shownHalf.value) - 1;
  change({ sample: Math.max(0, Math.min(sample, most)) });
};

/** The parts of samples that are drawn. */
export const parts = computed<DrawnParts>(() => {
  const { channel, frame, slice } = settings.value;
  return { channel, frame, slices: slicesIn(slice) };
});

/** Samples that came from the lab, by half and number; of the present data alone. */
const views = new Map<string, SampleView>();
/** Samples that are kept: those around the one that is shown, and those seen last. */
const KEPT = 48;
const arrived = signal(0);
const problem = signal<string | undefined>(undefined);

const keyOf = (half: Half, sample: number) => `${half} ${sample}`;

/** A sample, if it has come; whoever asks hears of it. */
export function viewOf(half: Half, sample: number): SampleView | undefined {
  arrived.value;
  return views.get(keyOf(half, sample));
}

/** Why a sample cannot be read, if so. */
export const sampleProblem: ReadonlySignal<string | undefined> = problem;

/** Samples beside the one that is shown, which stand in the strip below it. */
export const stripLength = signal(0);
export const strip = computed<readonly number[]>(() => {
  const count = facts.value ? samplesOf(facts.value, shownHalf.value) : 0;
  const length = Math.min(stripLength.value, count);
  const first = Math.max(0, Math.min(shownSample.value - Math.floor(length / 2), count - length));
  return Array.from({ length }, (_, i) => first + i);
});

/** The values that all samples span; they begin as those of a few, while others are still made. */
export const ranges = signal<RangesView | undefined>(undefined);

/** The channel that is shown; it changes far less often than the settings. */
const shownChannel = computed(() => settings.value.channel);

/** The file that is open and how it is read, as text; undefined where there is none. */
const fileKey = computed(() => {
  const { task, file } = settings.value;
  return task === "" && file !== "" ? dataKey.value : undefined;
});

/** Bins are fitted to all samples for training: none is missing then. */
const areAllThere = computed(() => bins.value.kind === "ready");

/** What the file holds, where one is open, and what else could be made of it. */
export const inspected = signal<Loadable<Inspection>>(EMPTY);

/** Milliseconds after which ranges are asked for once more while samples are made; each pause is twice the one before. */
const FIRST_PAUSE = 700;

/** Whether this view follows what is set: once is enough. */
let isFollowing = false;

/** Fetches what the view shows, whenever something else is to be seen. */
export function followSamples(): void {
  if (isFollowing) return;
  isFollowing = true;
  let held: DataFacts | undefined;
  let asked = 0;

  /** Fetches the sample that is shown, then its neighbours from near to far, until something else is asked for. */
  async function fetchAround(
    own: number,
    half: Half,
    sample: number,
    others: readonly number[],
  ): Promise<void> {
    const order = [sample, ...[...others].sort((a, b) => Math.abs(a - sample) - Math.abs(b - sample))];
    for (const one of order) {
      const key = keyOf(half, one);
      if (views.has(key)) continue;
      try {
        const view = await lab.sample(half, one);
        if (held !== facts.peek()) return;
        views.set(key, view);
        if (views.size > KEPT) views.delete(views.keys().next().value!);
        arrived.value++;
        if (one === sample) problem.value = undefined;
      } catch (error) {
        if (own === asked) problem.value = messageOf(error);
        return;
      }
      if (own !== asked) return;
    }
  }
  effect(() => {
    const now = facts.value;
    const [half, sample, others] = [shownHalf.value, shownSample.value, strip.value];
    if (now !== held) {
      held = now;
      views.clear();
      untracked(() => {
        problem.value = undefined;
        arrived.value++;
      });
    }
    if (now && openView.value === "data") void fetchAround(++asked, half, sample, others);
  });

  let latest = "";
  let known: DataFacts | undefined;
  effect(() => {
    const now = facts.value;
    const [half, channel] = [shownHalf.value, shownChannel.value];
    areAllThere.value; // then once more
    const key = JSON.stringify([half, channel]);
    untracked(() => {
      if (now !== known || !now) ranges.value = undefined;
    });
    [latest, known] = [key, now];
    if (!now) return;
    const measure = (pause: number) =>
      // Without them, each sample has a scale of its own; the sample itself says why it cannot be drawn.
      lab
        .ranges(half, channel)
        .catch(() => NO_RANGES)
        .then((found) => {
          if (key !== latest || facts.peek() !== now) return;
          ranges.value = found;
          if (found.isPartial && !areAllThere.peek()) setTimeout(() => again(2 * pause), pause);
        });
    const again = (pause: number) => {
      if (key === latest && facts.peek() === now && !areAllThere.peek()) void measure(pause);
    };
    void measure(FIRST_PAUSE);
  });

  let looked = 0;
  effect(() => {
    fileKey.value;
    const { file, reading } = settings.peek();
    const own = ++looked;
    if (fileKey.value === undefined) {
      inspected.value = EMPTY;
      return;
    }
    untracked(() => {
      const before = inspected.value.kind === "ready" ? inspected.value.value : undefined;
      inspected.value = { kind: "loading", words: "Looking into the file", before };
    });
    givenFiles(file)
      .then((given) => lab.inspect(given, reading))
      .then(
        (value) => {
          if (own === looked) inspected.value = { kind: "ready", value };
        },
        (error) => {
          if (own === looked) inspected.value = { kind: "failed", message: messageOf(error) };
        },
      );
  });
}
