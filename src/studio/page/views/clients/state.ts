import { computed, effect, type Signal, signal, untracked } from "@preact/signals";
import type { DialView, InputDistanceView, SplitView } from "../../../lab/lab.js";
import { EMPTY, type Loadable, presentOf } from "../../loadable.js";
import { bins, follow, lab, settings, split, splitChoice } from "../../state.js";

/** The last split that was possible: it stays to be seen while settings ask for an impossible one. */
export const shownSplit = signal<SplitView | undefined>(undefined);

effect(() => {
  const found = split.value;
  if (found.kind === "empty") shownSplit.value = undefined;
  else shownSplit.value = presentOf(found) ?? shownSplit.peek();
});

/** Whether what is shown is not what the settings ask for, since that is impossible. */
export const isLeftBehind = computed(() => split.value.kind === "failed" || bins.value.kind === "failed");

/** Samples of each bin. They are those of the bins, whatever the clients. */
export const binSizes = computed(() => {
  const counts = shownSplit.value?.counts ?? [];
  return Array.from({ length: shownSplit.value?.bins ?? 0 }, (_, bin) =>
    counts.reduce((sum, row) => sum + row[bin], 0),
  );
});

/** Two clients of this many, as the address has them; the first two where it has none. */
export function pairOf(words: string, clients: number): readonly [number, number] {
  const [a, b] = words.split(",").map(Number);
  const isClient = (one: number) => Number.isInteger(one) && one >= 0 && one < clients;
  return isClient(a) && isClient(b) && a !== b ? [a, b] : [0, 1];
}

/** The two clients that are compared. */
export const pair = computed(() => pairOf(settings.value.pair, shownSplit.value?.clients ?? 2));

/** The pair after a click on a client: it takes the place of the one that was chosen earlier. */
export const pairWith = ([first, second]: readonly [number, number], client: number): string =>
  client === first || client === second ? `${first},${second}` : `${second},${client}`;

/** A cell of the heat map that is pointed at; without a bin, a whole client. */
export interface Cursor {
  readonly client: number;
  readonly bin?: number;
  /** Whether keys brought it there: then it is read out. */
  readonly isByKey: boolean;
}
export const cursor = signal<Cursor | undefined>(undefined);

/** D_sol and H_u along the dial; undefined for a partitioner without one. */
export const dial: Signal<Loadable<DialView | undefined>> = signal(EMPTY);

/** Distance of inputs, and the split that it is of. */
export const inputs: Signal<Loadable<{ readonly of: SplitView; readonly found?: InputDistanceView }>> =
  signal(EMPTY);

const turnDial = follow(dial, "Turning the dial", () => lab.dial(splitChoice.peek()));
const compareInputs = follow(inputs, "Comparing inputs", async () => ({
  of: presentOf(split.peek())!,
  found: await lab.inputDistance(),
}));

/** Milliseconds without a new split after which inputs are compared: it would slow down dragging. */
const CALM = 350;

const dialKey = computed(() => JSON.stringify({ ...splitChoice.value, alpha: undefined }));

/** Computes what this view alone shows, as long as it is open. */
export function followDial(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ends = [
    effect(() => {
      dialKey.value;
      if (bins.value.kind === "ready") untracked(turnDial);
    }),
    effect(() => {
      const { kind } = split.value;
      clearTimeout(timer);
      if (kind === "ready") timer = setTimeout(compareInputs, CALM);
      if (kind === "empty") inputs.value = EMPTY;
    }),
  ];
  return () => {
    clearTimeout(timer);
    for (const end of ends) end();
  };
}
