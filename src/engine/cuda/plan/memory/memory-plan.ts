import { accessesOf, type Step } from "../plan.js";

/** Numbers that offsets are multiples of: 256 bytes. */
const ALIGNMENT = 64;

/** The stages during which a buffer's content matters, first and last included. */
export interface Lifetime {
  readonly buffer: number;
  readonly size: number;
  readonly first: number;
  readonly last: number;
}

export interface MemoryPlan {
  /** Where each buffer begins. */
  readonly offsets: ReadonlyMap<number, number>;
  /** Numbers in all. */
  readonly size: number;
}

/**
 * Lifetimes of buffers of these sizes. Those in `kept` are needed after the last stage. Buffers that lie in the memory
 * of another, which `within` names, live together with it.
 */
export function lifetimes(
  steps: readonly Step[],
  sizes: ReadonlyMap<number, number>,
  kept: ReadonlySet<number>,
  within: (buffer: number) => number = (buffer) => buffer,
): Lifetime[] {
  const spans = new Map<number, [first: number, last: number]>();
  for (const step of steps) {
    const { stage: at } = step;
    const { reads, writes } = accessesOf(step);
    for (const buffer of [...reads, ...writes]) {
      if (!sizes.has(buffer)) continue;
      spans.set(within(buffer), [spans.get(within(buffer))?.[0] ?? at, at]);
    }
  }
  const lasting = new Set([...kept].map(within));
  return [...spans].map(([buffer, [first, last]]) => ({
    buffer,
    size: sizes.get(buffer)!,
    first,
    last: lasting.has(buffer) ? Infinity : last,
  }));
}

/**
 * Offsets such that buffers that live at the same time do not overlap. The largest buffers are placed first, each into
 * the smallest gap that holds it (Pisarchyk and Lee 2020, greedy by size).
 */
export function memoryPlan(all: readonly Lifetime[]): MemoryPlan {
  const placed: { life: Lifetime; start: number; end: number }[] = [];
  const offsets = new Map<number, number>();
  let size = 0;
  for (const life of [...all].sort((a, b) => b.size - a.size || a.first - b.first || a.buffer - b.buffer)) {
    const length = Math.ceil(life.size / ALIGNMENT) * ALIGNMENT;
    const taken = placed
      .filter((other) => other.life.first <= life.last && life.first <= other.life.last)
      .sort((a, b) => a.start - b.start);
    let best: { start: number; gap: number } | undefined;
    let end = 0;
    for (const other of taken) {
      const gap = other.start - end;
      if (gap >= length && gap < (best?.gap ?? Infinity)) best = { start: end, gap };
      end = Math.max(end, other.end);
    }
    const start = best?.start ?? end;
    placed.push({ life, start, end: start + length });
    offsets.set(life.buffer, start);
    size = Math.max(size, start + length);
  }
  return { offsets, size };
}
