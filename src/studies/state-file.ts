import { FormatError } from "../errors.js";
import type { TrainerState } from "../federation/trainer.js";
import type { ByteSource } from "../files/byte-source.js";
import { toNumbers } from "../files/element-type.js";
import { type NpzEntries, openNpz, writeNpz } from "../files/npz.js";
import { type CheckpointParameters, checkpointArrays, readCheckpoints } from "../records/run-arrays.js";

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

/** Marks the fields of the trainer's state among the arrays of the file. */
const TRAINER = "trainer.";

/** The bytes of `state.npz`. The trainer's state is numbers and arrays of numbers; they keep their names. */
export function writeState({ trainer, checkpoints, seconds, journal }: ResumeState): Uint8Array {
  const scalar = (value: number) => ({ values: Float64Array.of(value), shape: [] });
  const entries = Object.entries(trainer).map(([name, value]) => [
    TRAINER + name,
    typeof value === "number" ? scalar(value) : value,
  ]);
  const state: NpzEntries = Object.fromEntries(entries);
  const kept = { ...checkpointArrays(checkpoints), seconds: scalar(seconds) };
  return writeNpz({ ...state, ...kept, [JOURNAL]: fromHex(journal) }, { compress: false });
}

/** Reads `state.npz`; the checksum of every array is compared, since a run would go on from any numbers. */
export async function readState(source: ByteSource): Promise<ResumeState> {
  const archive = await openNpz(source);
  if (!archive.names.includes(JOURNAL))
    throw new FormatError(`${source.name} is of an earlier layout, which cannot be checked`);
  const read = async (name: string) => {
    const { read, rows, shape } = await archive.array(name);
    const values = await read(0, rows);
    return shape.length === 0 ? toNumbers(values)[0] : values;
  };
  const trainer: Record<string, unknown> = {};
  for (const name of archive.names.filter((name) => name.startsWith(TRAINER)))
    trainer[name.slice(TRAINER.length)] = await read(name);
  return {
    trainer: trainer as unknown as TrainerState,
    checkpoints: await readCheckpoints(archive, source.name),
    seconds: (await read("seconds")) as number,
    journal: toHex((await read(JOURNAL)) as Uint8Array),
  };
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
