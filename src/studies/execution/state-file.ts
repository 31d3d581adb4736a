import { FormatError } from "../../errors.js";
import type { TrainerState, Vectors } from "../../federation/trainer-state.js";
import type { ByteSource } from "../../files/byte-source.js";
import { toNumbers } from "../../files/ndarray.js";
import { type NpzEntries, openNpz, writeNpz } from "../../files/npz.js";
import { type CheckpointParameters, checkpointArrays, readCheckpoints } from "../../records/run-arrays.js";

/** All that a run needs to go on: the trainer's state, and what was kept so far. */
export interface ResumeState {
  readonly trainer: TrainerState;
  readonly checkpoints: CheckpointParameters;
  /** Seconds of training so far. */
  readonly seconds: number;
  /** SHA-256 of the journal when the state was saved: the lines that it goes on from. */
  readonly journal: string;
}

const JOURNAL = "journal_sha256";

/** Names of the trainer's state among the arrays of the file: the round, and what goes before the names of vectors. */
const ROUND = "trainer.round";
const SERVER = "trainer.server.";
const CLIENTS = "trainer.clients.";
/** Where some clients have not taken part yet: those that have, and what the others start from. */
const PRESENT = "trainer.present";
const STARTS = "trainer.starts.";

/** The bytes of `state.npz`. The vectors of server and clients keep their names. */
export function writeState({ trainer, checkpoints, seconds, journal }: ResumeState): Uint8Array {
  const scalar = (value: number) => ({ values: Float64Array.of(value), shape: [] });
  const named = (prefix: string, vectors: Vectors): NpzEntries =>
    Object.fromEntries(Object.entries(vectors).map(([name, values]) => [prefix + name, values]));
  return writeNpz(
    {
      [ROUND]: scalar(trainer.round),
      ...named(SERVER, trainer.server),
      ...named(CLIENTS, trainer.clients),
      ...(trainer.partial && {
        [PRESENT]: trainer.partial.present,
        ...named(STARTS, trainer.partial.starts),
      }),
      ...checkpointArrays(checkpoints),
      seconds: scalar(seconds),
      [JOURNAL]: fromHex(journal),
    },
    { compress: false },
  );
}

/** Reads `state.npz`; the checksum of every array is compared, since a run would go on from any numbers. */
export async function readState(source: ByteSource): Promise<ResumeState> {
  const archive = await openNpz(source);
  if (!archive.names.includes(JOURNAL) || !archive.names.some((name) => name.startsWith(SERVER)))
    throw new FormatError(`${source.name} is of an earlier layout`);
  const read = async (name: string) => {
    const { read, rows } = await archive.array(name);
    return read(0, rows);
  };
  const number = async (name: string) => toNumbers(await read(name))[0];
  const named = async (prefix: string): Promise<Vectors> => {
    const vectors: Record<string, Float32Array> = {};
    for (const name of archive.names.filter((name) => name.startsWith(prefix))) {
      const values = await read(name);
      if (!(values instanceof Float32Array)) throw new FormatError(`${source.name}:${name} is not float32`);
      vectors[name.slice(prefix.length)] = values;
    }
    return vectors;
  };
  const partial = async (): Promise<TrainerState["partial"]> => {
    if (!archive.names.includes(PRESENT)) return undefined;
    const present = await read(PRESENT);
    if (!(present instanceof Int32Array)) throw new FormatError(`${source.name}:${PRESENT} is not int32`);
    return { present, starts: await named(STARTS) };
  };
  const some = await partial();
  return {
    trainer: {
      round: await number(ROUND),
      server: await named(SERVER),
      clients: await named(CLIENTS),
      ...(some && { partial: some }),
    },
    checkpoints: await readCheckpoints(archive, source.name),
    seconds: await number("seconds"),
    journal: toHex((await read(JOURNAL)) as Uint8Array),
  };
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
