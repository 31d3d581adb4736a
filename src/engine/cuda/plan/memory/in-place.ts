import { factorsOf, type Matrix } from "../layout/products.js";
import { accessesOf, isOwn, loadsOf, type Step, type Store, storesOf } from "../plan.js";

/** Which steps read and write a buffer. */
export interface Accesses {
  readonly readers: ReadonlyMap<number, readonly Step[]>;
  readonly writers: ReadonlyMap<number, readonly Step[]>;
}

export function accessesIn(steps: readonly Step[]): Accesses {
  const readers = new Map<number, Step[]>();
  const writers = new Map<number, Step[]>();
  const note = (lists: Map<number, Step[]>, buffer: number, step: Step) => {
    const list = lists.get(buffer) ?? [];
    list.push(step);
    lists.set(buffer, list);
  };
  for (const step of steps) {
    const { reads, writes } = accessesOf(step);
    for (const buffer of reads) note(readers, buffer, step);
    for (const buffer of writes) note(writers, buffer, step);
  }
  return { readers, writers };
}

/**
 * Buffers that can be written over others of their size, each with the one whose memory it takes. What an elementwise
 * kernel reads for the last time is likely to be in the cache still: writing there saves traffic as well as memory.
 */
export function replacements(
  steps: readonly Step[],
  sizes: ReadonlyMap<number, number>,
  kept: ReadonlySet<number>,
): Map<number, number> {
  const accesses = accessesIn(steps);
  const found = new Map<number, number>();
  const replaced = new Set<number>();
  for (const step of steps)
    for (const { stores, all } of passesOf(step))
      for (const { buffer: written, index } of stores) {
        if (!sizes.has(written) || found.has(written)) continue;
        const old = loadsOf(all).find(
          (load) =>
            load.index.key === index.key &&
            sizes.get(load.buffer) === sizes.get(written) &&
            !kept.has(load.buffer) &&
            !replaced.has(load.buffer) &&
            canReplace(written, load.buffer, accesses),
        );
        if (!old) continue;
        found.set(written, old.buffer);
        replaced.add(old.buffer);
      }
  return found;
}

/** Whether one buffer may lie in the memory of another: all that takes the old is done before the new is written. */
export function canReplace(written: number, old: number, { readers, writers }: Accesses): boolean {
  const [writer] = writers.get(written)!;
  // Some parts of a concatenation may be read while others are still being written.
  if (writers.get(old)?.some(({ stage }) => stage >= writer.stage)) return false;
  const late = (readers.get(old) ?? []).filter(({ stage }) => stage >= writer.stage);
  if (late.length === 0) return true;
  if (late.length > 1 || late[0] !== writer) return false;
  if (writer.kind === "copy" || writer.kind === "backward") return false;
  if (factorsIn(writer).some(({ buffer }) => buffer === old)) return false;
  // Within one step an element may be replaced only by the thread that reads it.
  return passesOf(writer).every(({ stores, all }) => {
    const places = loadsOf(all).filter(({ buffer }) => buffer === old);
    if (places.length === 0) return true;
    const targets = stores.filter(({ buffer }) => buffer === written);
    return targets.length === 1 && places.every(({ index }) => index.key === targets[0].index.key);
  });
}

/** What each thread of a step stores after reading, element by element, and all that the step's threads store. */
function passesOf(step: Step): { readonly stores: readonly Store[]; readonly all: readonly Store[] }[] {
  switch (step.kind) {
    case "launch":
      return step.jobs.map((job) => ({ stores: job.stores, all: storesOf(job) }));
    case "product":
      return isOwn(step) ? [{ stores: step.epilogue, all: [...step.epilogue, ...step.lines] }] : [];
    case "transformed":
      return [step.layer, step.transform].flatMap(passesOf);
    case "backward":
    case "copy":
      return [];
  }
}

/** Matrices that a step multiplies. */
function factorsIn(step: Step): readonly Matrix[] {
  if (step.kind === "transformed") return [...factorsOf(step.layer), ...factorsOf(step.transform)];
  return step.kind === "product" ? factorsOf(step) : [];
}
