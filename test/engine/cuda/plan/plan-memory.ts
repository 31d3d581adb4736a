import type { Plan } from "../../../../src/engine/cuda/plan/plan.js";

/** The memory that a plan foresees, in float64. */
export class PlanMemory {
  readonly #plan: Plan;
  readonly #arena: Float64Array;
  readonly #views = new Map<number, Float64Array>();

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#arena = new Float64Array(plan.arena).fill(NaN);
    const given = new Map<string, Float64Array>();
    for (const { id, size, location } of plan.buffers.values()) {
      if (location.kind === "arena") {
        this.#views.set(id, this.#arena.subarray(location.offset, location.offset + size));
        continue;
      }
      const key = location.kind === "input" ? location.input : `constant ${id}`;
      const values = given.get(key) ?? new Float64Array(size);
      if (location.kind === "constant") values.set(location.values);
      given.set(key, values);
      this.#views.set(id, values);
    }
  }

  of(buffer: number): Float64Array {
    return this.#views.get(buffer)!;
  }

  /** Has room for a buffer that the plan has none for, as long as it is in use. */
  within(buffer: number, size: number, use: () => void): void {
    if (this.#views.has(buffer)) throw new Error(`buffer ${buffer} has memory`);
    this.#views.set(buffer, new Float64Array(size).fill(NaN));
    use();
    this.#views.delete(buffer);
  }

  overlap(a: number, b: number): boolean {
    const [startA, startB] = [this.start(a), this.start(b)];
    const apart = startA + this.of(a).length <= startB || startB + this.of(b).length <= startA;
    return this.region(a) === this.region(b) && !apart;
  }

  /** The array that a buffer is a part of, alone or with others. */
  region(buffer: number): Float64Array {
    return this.#plan.buffers.get(buffer)?.location.kind === "arena" ? this.#arena : this.of(buffer);
  }

  /** Where a buffer begins in its region. */
  start(buffer: number): number {
    const location = this.#plan.buffers.get(buffer)?.location;
    return location?.kind === "arena" ? location.offset : 0;
  }
}

export function element(values: Float64Array, at: number): number {
  if (!(at >= 0 && at < values.length)) throw new RangeError(`element ${at} of ${values.length} is read`);
  return values[at];
}
