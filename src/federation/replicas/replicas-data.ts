import type { Backend } from "../../engine/backend.js";
import type { Training, TrainingSamples } from "../../models/trainable-model.js";
import type { Federation } from "../federation.js";
import { type SampleForm, type SampleWindows, sampleWindows } from "../samples/sample-windows.js";
import { isStored, type Samples, type StoredSamples } from "../samples/stored-samples.js";
import { joinedVectors } from "../trainer-state.js";

/** Samples of several replicas as one list, and where those of each begin. Replicas with equal samples share them. */
export type SharedSamples<S extends Samples = Samples> = S & { readonly starts: readonly number[] };

/** Lays the samples of replicas end to end, equal ones once. */
export function shareSamples<S extends Samples>(ofReplicas: readonly S[]): SharedSamples<S> {
  const distinct: S[] = [];
  const places = ofReplicas.map((samples) => {
    const known = distinct.findIndex((other) => areEqual(samples, other));
    return known >= 0 ? known : distinct.push(samples) - 1;
  });
  if (distinct.length === 1) return { ...distinct[0], starts: places };
  let end = 0;
  const starts = distinct.map(({ samples }) => {
    end += samples;
    return end - samples;
  });
  const all: readonly Samples[] = distinct;
  const joined = all.every(isStored)
    ? joinedOnDisk(all, starts)
    : joinedInMemory(all as readonly TrainingSamples[]);
  return { ...(joined as S), starts: places.map((place) => starts[place]) };
}

function joinedInMemory(parts: readonly TrainingSamples[]): TrainingSamples {
  return {
    samples: parts.reduce((sum, { samples }) => sum + samples, 0),
    inputs: joinedVectors(parts.map(({ inputs }) => inputs)),
    responses: joinedVectors(parts.map(({ responses }) => responses)),
  };
}

function joinedOnDisk(parts: readonly StoredSamples[], starts: readonly number[]): StoredSamples {
  const [{ sizes }] = parts;
  return {
    samples: parts.reduce((sum, { samples }) => sum + samples, 0),
    sizes,
    async read(chosen, into) {
      let row = 0;
      for (const [i, part] of parts.entries()) {
        const own = chosen
          .filter((sample) => sample >= starts[i] && sample < starts[i] + part.samples)
          .map((sample) => sample - starts[i]);
        if (own.length === 0) continue;
        await part.read(own, {
          inputs: into.inputs.subarray(row * sizes.inputs),
          responses: into.responses.subarray(row * sizes.responses),
        });
        row += own.length;
      }
    },
  };
}

/** Samples of all replicas of a batch, and how their common model learns from those for training. */
export interface ReplicaData extends Pick<Federation, "operator"> {
  readonly train: SharedSamples;
  readonly test: SharedSamples;
  /** Training samples as the model learns from them, for programs that choose `most` different ones in a run, at most. */
  training(most: number): SampleWindows<Training>;
}

/** The operators of the replicas must be of one kind, as those of a task and its parameters are. */
export function replicaData(
  problems: readonly Pick<Federation<Samples>, "operator" | "training" | "train" | "test">[],
  { prefersLargeKernels: largeKernels }: Pick<Backend, "prefersLargeKernels">,
): ReplicaData {
  const [{ operator, training: prepared, train: first }] = problems;
  const train = shareSamples(problems.map((problem) => problem.train));
  const test = shareSamples(problems.map((problem) => problem.test));
  const form: SampleForm<Training> = {
    of: (samples) => operator.training(samples, { largeKernels }),
    replace: (training, samples) => training.replace(samples),
  };
  const inMemory = (samples: SharedSamples<TrainingSamples>) => {
    const isPrepared = prepared && !largeKernels && !isStored(first) && samples.inputs === first.inputs;
    const held = isPrepared ? prepared : form.of(samples);
    return () => sampleWindows(samples, samples.samples, { ...form, of: () => held });
  };
  return {
    operator,
    train,
    test,
    training: isStored(train) ? (most) => sampleWindows(train, most, form) : inMemory(train),
  };
}

function areEqual(a: Samples, b: Samples): boolean {
  if (isStored(a) || isStored(b)) return a === b;
  const same = (x: Float32Array, y: Float32Array) =>
    x === y || (x.length === y.length && x.every((value, i) => value === y[i]));
  return a.samples === b.samples && same(a.inputs, b.inputs) && same(a.responses, b.responses);
}
