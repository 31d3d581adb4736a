import {
  clientVector,
  joinedVectors,
  type PartialVectors,
  type TrainerState,
  vectorOf,
} from "../trainer-state.js";
import { startsAtServer } from "./client-vectors.js";

/** The vectors of all clients of a run. A client's are made when it first takes part: others have those of the start. */
export interface KeptVectors {
  /** A vector of a client; it must not be changed. */
  of(name: string, client: number): Float32Array;
  /** Copies a client's new vector. */
  copy(name: string, client: number, values: ArrayLike<number>): void;
  /** Keeps a client's new vector as it is: nobody may change it. */
  keep(name: string, client: number, vector: Float32Array): void;
  /** As a state has them, copied. */
  state(): Pick<TrainerState, "clients" | "partial">;
}

/** Vectors of these names from where a run starts. The arrays of the start are read, and never changed. */
export function keptVectors(names: readonly string[], start: TrainerState, clients: number): KeptVectors {
  const vectors = new Map(names.map((name) => [name, new Array<Float32Array | undefined>(clients)]));
  for (const name of names) vectorOf(start.clients, name); // a state without it is refused before anything is trained
  const own = new Set<Float32Array>();
  const isThere = new Uint8Array(clients);
  if (start.partial) for (const client of start.partial.present) isThere[client] = 1;
  else isThere.fill(1);
  const of = (name: string, client: number) =>
    vectors.get(name)![client] ?? clientVector(start, name, client);
  const keep = (name: string, client: number, vector: Float32Array) => {
    vectors.get(name)![client] = vector;
    isThere[client] = 1;
  };
  return {
    of,
    keep,
    copy(name, client, values) {
      const known = vectors.get(name)![client];
      if (known && own.has(known)) return known.set(values);
      const vector = Float32Array.from(values);
      own.add(vector);
      keep(name, client, vector);
    },
    state() {
      const present = Int32Array.from(isThere.keys()).filter((client) => isThere[client] === 1);
      const joined = names.map((name) => [
        name,
        joinedVectors(Array.from(present, (client) => of(name, client))),
      ]);
      return {
        clients: Object.fromEntries(joined),
        ...(present.length < clients && names.length > 0 && { partial: partialOf(present, start, names) }),
      };
    },
  };
}

function partialOf(present: Int32Array, { partial }: TrainerState, names: readonly string[]): PartialVectors {
  const starts = names.filter(startsAtServer).map((name) => [name, partial!.starts[name].slice()]);
  return { present, starts: Object.fromEntries(starts) };
}
