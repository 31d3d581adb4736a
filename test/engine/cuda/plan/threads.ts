import type { Store } from "../../../../src/engine/cuda/plan/plan.js";
import { Evaluator } from "./evaluator.js";
import { element, type PlanMemory } from "./plan-memory.js";

/** Threads that run at the same time: none may read or write what another one writes. */
export class Threads {
  readonly #memory: PlanMemory;
  readonly #written: readonly number[];
  readonly #watched = new Map<number, boolean>();
  readonly #writes: { values: Float64Array; at: number; value: number }[] = [];
  readonly #writer = new Map<Float64Array, Map<number, number>>();
  readonly #reads: { values: Float64Array; at: number; thread: number }[] = [];
  #thread = 0;

  constructor(memory: PlanMemory, stores: readonly Store[]) {
    this.#memory = memory;
    this.#written = stores.map(({ buffer }) => buffer);
  }

  /** Evaluates what some of the threads store. */
  computing(stores: readonly Store[]): Evaluator {
    return new Evaluator(stores, (buffer, at) => {
      if (this.#isWritten(buffer)) {
        const values = this.#memory.region(buffer);
        this.#reads.push({ values, at: this.#memory.start(buffer) + at, thread: this.#thread });
      }
      return element(this.#memory.of(buffer), at);
    });
  }

  /** Stores what was evaluated, or other values; what is evaluated next is another thread's. */
  store(evaluator: Evaluator, stores: readonly Store[], values?: readonly number[]): void {
    stores.forEach(({ buffer, index, value }, k) => {
      const at = evaluator.index(index);
      const own = this.#memory.of(buffer);
      if (!(at >= 0 && at < own.length)) throw new RangeError(`a kernel writes element ${at}`);
      const region = this.#memory.region(buffer);
      const known = this.#writer.get(region) ?? new Map<number, number>();
      this.#writer.set(region, known);
      const place = this.#memory.start(buffer) + at;
      if (known.has(place)) throw new Error("two threads write the same element");
      known.set(place, this.#thread);
      this.#writes.push({ values: own, at, value: values?.[k] ?? evaluator.value(value) });
    });
    this.#thread++;
  }

  finish(): void {
    for (const { values, at, thread } of this.#reads) {
      const by = this.#writer.get(values)?.get(at);
      if (by !== undefined && by !== thread) throw new Error("a thread reads what another one writes");
    }
    for (const { values, at, value } of this.#writes) values[at] = value;
  }

  #isWritten(buffer: number): boolean {
    const known =
      this.#watched.get(buffer) ?? this.#written.some((other) => this.#memory.overlap(buffer, other));
    this.#watched.set(buffer, known);
    return known;
  }
}
