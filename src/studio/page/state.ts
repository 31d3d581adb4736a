import workerAddress from "virtual:worker-address";
import { batch, computed, effect, type Signal, signal, untracked } from "@preact/signals";
import { proxy, type Remote, wrap } from "comlink";
import { takesAlpha } from "../../partition/partitioners.js";
import { addressOf, settingsOf } from "../address.js";
import type { BinsView, DataFacts, Lab, SplitChoice, SplitView } from "../lab/lab.js";
import { DEFAULT_SETTINGS, type StudioSettings } from "../settings.js";
import { givenFiles, meantBy, ownFiles } from "./given-files.js";
import { EMPTY, type Loadable, messageOf, presentOf } from "./loadable.js";

/** The lab, in its worker. */
export const lab: Remote<Lab> = wrap<Lab>(new Worker(workerAddress, { type: "module", name: "lab" }));

export { hasServer } from "./given-files.js";

const start = settingsOf(location.hash);

/** Everything that a person has set. Change it with {@link change}. */
export const settings: Signal<StudioSettings> = signal(start.settings);

/** Names in the address that could not be read; the page says so once. */
export const ignored = signal<readonly string[]>(start.ignored);

/** Changes settings. The address follows. */
export function change(part: Partial<StudioSettings>): void {
  settings.value = { ...settings.value, ...part };
}

/** The view that is open: it changes far less often than the settings. */
export const view = computed(() => settings.value.view);

/** Milliseconds between two changes of the address: browsers refuse many in a short time, as dragging would make. */
const ADDRESS_PAUSE = 200;
let addressTimer: ReturnType<typeof setTimeout> | undefined;

effect(() => {
  settings.value;
  if (addressTimer !== undefined) return;
  writeAddress();
  addressTimer = setTimeout(() => {
    addressTimer = undefined;
    writeAddress();
  }, ADDRESS_PAUSE);
});

function writeAddress(): void {
  const address = addressOf(settings.peek());
  if (address !== location.hash.slice(1))
    history.replaceState(null, "", `${location.pathname}${location.search}${address ? `#${address}` : ""}`);
}

/** Opens files that a person gives to the page: the Data view shows them. */
export function openOwnFiles(files: readonly File[]): void {
  if (files.length === 0) return;
  (document.activeElement as HTMLElement | null)?.blur(); // arrow keys are for samples now
  batch(() => {
    ownFiles.value = files;
    const { sample, half, channel, frame, slice, parameters } = DEFAULT_SETTINGS;
    change({ view: "data", task: "", ...meantBy(files), sample, half, channel, frame, slice, parameters });
  });
}

addEventListener("hashchange", () => {
  const found = settingsOf(location.hash);
  batch(() => {
    settings.value = found.settings;
    ignored.value = found.ignored;
  });
});

/** The data of the page. */
export const data = signal<Loadable<DataFacts>>(EMPTY);
/** Their solution bins. */
export const bins = signal<Loadable<BinsView>>(EMPTY);
/** The split. While another one is computed, the last one stays to be seen. */
export const split = signal<Loadable<SplitView>>(EMPTY);

/** The split that is asked for. */
export const splitChoice = computed((): SplitChoice => {
  const { alpha, clients, seed, min_size, repair, partitioner, split: options } = settings.value;
  return {
    clients,
    ...(takesAlpha(partitioner) && { alpha }),
    seed,
    ...(min_size > 0 && { minSize: min_size }),
    repair,
    partitioner: { name: partitioner, ...options },
  };
});

/** What a result depends on, as text: equal texts need no new computation. */
export const dataKey = computed(() => {
  const { task, file, data_seed, train_samples, test_samples, parameters, reading } = settings.value;
  if (task === "") return JSON.stringify({ file, reading, own: ownFiles.value.map(stampOf) });
  return JSON.stringify({ task, data_seed, train_samples, test_samples, parameters });
});
/** Tells a file from another one of the same name. */
const stampOf = ({ name, size, lastModified }: File) => [name, size, lastModified];
const binsKey = computed(() => {
  const { bins: count, seed } = settings.value;
  return JSON.stringify({ count, seed });
});
const splitKey = computed(() => JSON.stringify(splitChoice.value));

/** What a computation gives where something that it needs is not there just now: then the last value stays. */
export const NOT_NOW = Symbol("not now");

/**
 * Computes a value in the lab when what it depends on has changed. One computation runs at a time; of those asked for
 * meanwhile only the last one is made, so that dragging a slider never queues up work. What is computed on the way there is
 * shown as the value before.
 */
export function follow<T>(
  target: Signal<Loadable<T>>,
  words: string,
  compute: (report: Report) => Promise<T | typeof NOT_NOW>,
) {
  let running = false;
  let again = false;
  return async function run(): Promise<void> {
    if (running) {
      again = true;
      return;
    }
    running = true;
    const before = presentOf(target.value);
    target.value = { kind: "loading", words, before };
    // What was emptied meanwhile belongs to data that are gone.
    const isAwaited = () => !again && target.value.kind === "loading";
    const report: Report = (done, total, other = words) => {
      if (target.value.kind === "loading")
        target.value = { kind: "loading", words: other, done: done / total, before };
    };
    try {
      const value = await compute(report);
      if (value === NOT_NOW) {
        if (isAwaited()) target.value = before === undefined ? EMPTY : { kind: "ready", value: before };
      } else if (isAwaited()) target.value = { kind: "ready", value };
      else if (target.value.kind === "loading") target.value = { kind: "loading", words, before: value };
    } catch (error) {
      if (isAwaited()) target.value = { kind: "failed", message: messageOf(error) };
    }
    running = false;
    if (again) {
      again = false;
      await run();
    }
  };
}

/** How far a computation has come, and what it does now, if that is something else. */
export type Report = (done: number, total: number, words?: string) => void;

const loadData = follow(data, "Opening the data", async () => {
  const { task, file, reading, data_seed, train_samples, test_samples, parameters } = settings.value;
  batch(() => {
    bins.value = EMPTY;
    split.value = EMPTY;
  });
  if (task === "" && file === "") throw new Error(NO_DATA);
  if (task === "") return lab.open(await givenFiles(file), reading);
  return lab.generate({
    task,
    seed: data_seed,
    ...(train_samples > 0 && { train: train_samples }),
    ...(test_samples > 0 && { test: test_samples }),
    parameters: parameters as Readonly<Record<string, number | string>>,
  });
});

/** What to do where neither a task nor a file is chosen. */
export const NO_DATA = "Choose a task, or open a file.";

const fitBins = follow(bins, "Fitting bins", async (report) => {
  const { bins: count, seed } = settings.value;
  await lab.complete(proxy((done: number, total: number) => report(done, total, "Generating data")));
  return lab.bin({ bins: count, seed }, proxy(report));
});

const makeSplit = follow(split, "Splitting", () => lab.split(splitChoice.value));

/** The data whose bins are fitted. Of large ones nobody fits any while a person looks at samples alone. */
const wanted = signal<DataFacts | undefined>(undefined);

/** Numbers of responses from which on reading them all takes more than a moment. */
const LARGE = 1 << 26;

const isLarge = ({ description: { train, responses } }: DataFacts): boolean =>
  responses.axes.reduce((product, { length }) => product * length, train) > LARGE;

/** Starts to follow the settings. */
export function followSettings(): void {
  effect(() => {
    dataKey.value;
    untracked(loadData);
  });
  effect(() => {
    const found = data.value.kind === "ready" ? data.value.value : undefined;
    if (!found || view.value !== "data" || !isLarge(found)) wanted.value = found;
  });
  effect(() => {
    binsKey.value;
    if (wanted.value) untracked(fitBins);
  });
  effect(() => {
    splitKey.value;
    if (bins.value.kind === "ready") untracked(makeSplit);
  });
}
