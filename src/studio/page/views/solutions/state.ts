import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { SamplePanel, SamplePanels } from "../../../../figures/samples/sample-panel.js";
import type { BinMember, BinPictures } from "../../../../partition/bin-pictures.js";
import type { BinsView, DataFacts, MapView } from "../../../lab/lab.js";
import { FOLLOWS_SAMPLE } from "../../../settings.js";
import { EMPTY, type Loadable, presentOf } from "../../loadable.js";
import { responsePanels, samplePanels } from "../../parts/field/response-panels.js";
import { type Scales, sharedScales } from "../../parts/field/shared-scales.js";
import { bins, data, follow, lab, NOT_NOW, settings } from "../../state.js";

/** What everything of this view belongs to: old pictures are never drawn with new data. */
export interface Basis {
  readonly data: DataFacts;
  readonly bins: BinsView;
}

/** The bins as pictures. */
export interface Gallery extends Basis {
  readonly pictures: BinPictures;
  /** Panels of each centroid. */
  readonly centroids: readonly (readonly SamplePanel[])[];
  /** Of centroids, of the nearest and farthest sample of each bin, and of some more samples with their inputs. */
  readonly scales: Scales;
}

/** A member of a bin and its picture. */
export interface ShownMember extends BinMember {
  readonly panels: readonly SamplePanel[];
}

/** Some members of a bin: the nearest to its centroid and the farthest. */
export interface Members extends Basis {
  readonly bin: number;
  readonly count: number;
  readonly nearest: readonly ShownMember[];
  readonly farthest: readonly ShownMember[];
}

/** The sample that was chosen. */
export interface Chosen {
  readonly data: DataFacts;
  readonly sample: number;
  readonly panels: SamplePanels;
}

/** Members that are shown of a bin. */
const [NEAREST, FARTHEST] = [7, 2];

/** Samples that scales are made from, beside the ends of bins. */
const SOME = 24;
/** Numbers of inputs that are read for scales: shot gathers have many. */
const INPUT_NUMBERS = 1e6;

export const gallery = signal<Loadable<Gallery>>(EMPTY);
export const map = signal<Loadable<Basis & { readonly map: MapView }>>(EMPTY);
export const members = signal<Loadable<Members>>(EMPTY);
export const chosen = signal<Loadable<Chosen>>(EMPTY);

/** Data and bins, as soon as both are there. */
const basis = computed((): Basis | undefined => {
  const [facts, found] = [data.value, bins.value];
  return facts.kind === "ready" && found.kind === "ready"
    ? { data: facts.value, bins: found.value }
    : undefined;
});

/** The training sample that is chosen; undefined for one for testing, which no bin has. */
export const chosenSample = computed(() => {
  const { sample, half } = settings.value;
  const { description } = presentOf(data.value) ?? {};
  return half === "train" && description && sample < description.train ? sample : undefined;
});

/** The bin whose members are shown: the one of the settings if there is such a one, else that of the chosen sample. */
export const chosenBin = computed(() => {
  const { bins: count = 1, binOfSample } = presentOf(bins.value) ?? {};
  const { bin } = settings.value;
  if (bin !== FOLLOWS_SAMPLE && bin < count) return bin;
  return (chosenSample.value !== undefined && binOfSample?.[chosenSample.value]) || 0;
});

const loadGallery = follow(gallery, "Looking into the bins", async () => {
  const own = basis.value;
  if (!own) return NOT_NOW;
  const pictures = await lab.pictures();
  const ends = pictures.bins.flatMap(({ nearest, farthest }) =>
    [nearest, farthest].flatMap((member) => (member ? [member.sample] : [])),
  );
  const responses = await lab.responses([...ends, ...someOf(own.data, SOME)]);
  const size = own.bins.centroids.length / own.bins.bins;
  const centroids = Array.from({ length: own.bins.bins }, (_, bin) =>
    responsePanels(own.data, own.bins.centroids.subarray(bin * size, (bin + 1) * size)),
  );
  const scales = sharedScales([
    ...centroids.flat(),
    ...responses.flatMap((response) => responsePanels(own.data, response)),
    ...(await someInputs(own.data)),
  ]);
  return { ...own, pictures, centroids, scales };
});

/** Samples at even distances: bins may be so few that their ends say little of the whole. */
const someOf = ({ description: { train } }: DataFacts, most: number): number[] => {
  const count = Math.min(most, train);
  return Array.from({ length: count }, (_, i) => Math.floor((i * train) / count));
};

/** Panels of some inputs. They do not depend on bins. */
const inputsOf = new WeakMap<DataFacts, Promise<readonly SamplePanel[]>>();

function someInputs(facts: DataFacts): Promise<readonly SamplePanel[]> {
  const size = facts.description.inputs.axes.reduce((product, { length }) => product * length, 1);
  const samples = someOf(facts, Math.max(1, Math.min(SOME, Math.floor(INPUT_NUMBERS / size))));
  const found =
    inputsOf.get(facts) ??
    Promise.all(samples.map((sample) => lab.sample("train", sample))).then((list) =>
      list.flatMap((one) => samplePanels(facts, one).input),
    );
  inputsOf.set(facts, found);
  return found;
}

const loadMap = follow(map, "Computing the map", async () => {
  const own = basis.value;
  return own ? { ...own, map: await lab.map() } : NOT_NOW;
});

const loadMembers = follow(members, "Looking for the members", async () => {
  const [own, bin] = [basis.value, chosenBin.value];
  if (!own) return NOT_NOW;
  const all = await lab.members(bin);
  const nearest = all.slice(0, NEAREST);
  const farthest = all.slice(NEAREST).slice(-FARTHEST);
  const shown = [...nearest, ...farthest];
  const responses = await lab.responses(shown.map(({ sample }) => sample));
  const pictured = shown.map((member, i) => ({ ...member, panels: responsePanels(own.data, responses[i]) }));
  return {
    ...own,
    bin,
    count: all.length,
    nearest: pictured.slice(0, nearest.length),
    farthest: pictured.slice(nearest.length),
  };
});

const loadChosen = follow(chosen, "Reading the sample", async () => {
  const [facts, sample] = [presentOf(data.value), chosenSample.value];
  if (!facts || sample === undefined) return NOT_NOW;
  return { data: facts, sample, panels: samplePanels(facts, await lab.sample("train", sample)) };
});

/** Keeps everything of this view up to date until the result is called. */
export function followSolutions(): () => void {
  const stops = [
    effect(() => {
      const facts = presentOf(data.value);
      const isReady = data.value.kind === "ready";
      batch(() => {
        for (const target of [gallery, map, members, chosen] as const) {
          const before = untracked(() => presentOf(target.value as Loadable<{ readonly data: DataFacts }>));
          if (!isReady || (before && before.data !== facts)) target.value = EMPTY;
        }
      });
    }),
    effect(() => {
      const own = basis.value;
      if (!own) return;
      untracked(() => {
        if (presentOf(gallery.value)?.bins !== own.bins) loadGallery();
        if (presentOf(map.value)?.bins !== own.bins) loadMap();
      });
    }),
    effect(() => {
      const own = basis.value;
      const bin = chosenBin.value;
      if (!own) return;
      untracked(() => {
        const before = presentOf(members.value);
        if (before?.bins !== own.bins || before.bin !== bin) loadMembers();
      });
    }),
    effect(() => {
      const sample = chosenSample.value;
      const isReady = data.value.kind === "ready";
      if (sample === undefined || !isReady) return;
      untracked(() => {
        const before = chosen.value;
        if (before.kind !== "ready" || before.value.sample !== sample) loadChosen();
      });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** A bin or a client that stands out on the map while the others fade. */
export interface Group {
  readonly kind: "bin" | "client";
  readonly index: number;
}

/** What the pointer or the focus is on: a card, a label, an entry of the legend. */
export const pointedGroup = signal<Group | undefined>(undefined);
