import type { Place } from "./expression.js";
import { reach } from "./index-algebra.js";
import { type Job, loadsOf, type Plan, type Step, storesOf } from "./plan.js";
import { productBytes, productFlops } from "./products.js";

/** What a step does, and what it moves and computes at least. */
export interface StepSummary {
  readonly kind: Step["kind"];
  readonly text: string;
  /** Bytes read and written, each number once. */
  readonly bytes: number;
  /** Multiplications and additions of products. */
  readonly flops: number;
}

/** The steps of a plan in words and numbers. */
export function describePlan(plan: Plan): readonly StepSummary[] {
  return plan.steps.map((step) => summaryOf(step, plan));
}

function summaryOf(step: Step, plan: Plan): StepSummary {
  switch (step.kind) {
    case "launch":
      return {
        kind: step.kind,
        text: step.jobs.map(jobText).join(", "),
        bytes: step.jobs.reduce((sum, job) => sum + jobBytes(job, plan), 0),
        flops: 0,
      };
    case "product": {
      const { rows, columns, inner, batch, a, b } = step;
      const left = `[${rows}, ${inner}]${a.transposed ? "^T" : ""}`;
      const right = `[${inner}, ${columns}]${b.transposed ? "^T" : ""}`;
      const text = `${batch} x ${left} ${right}`;
      return { kind: step.kind, text, bytes: productBytes(step), flops: productFlops(step) };
    }
    case "copy":
      return { kind: step.kind, text: `${step.size} numbers`, bytes: 8 * step.size, flops: 0 };
  }
}

export interface Gpu {
  /** Bytes a second. */
  readonly bandwidth: number;
  /** Floating-point operations a second. */
  readonly flops: number;
  /** Seconds that a step takes however little it does. */
  readonly launch: number;
}

/** Seconds that a plan takes at least on a GPU: each step as long as its traffic or its arithmetic. */
export function rooflineTime(steps: readonly StepSummary[], { bandwidth, flops, launch }: Gpu): number {
  return steps.reduce((sum, step) => sum + Math.max(launch, step.bytes / bandwidth, step.flops / flops), 0);
}

function jobText(job: Job): string {
  if (job.kind === "map") return `map ${job.size} to ${job.stores.length}`;
  const { outputs, length, chunks } = job.layout;
  const kept = job.stores.length > 0 ? ` storing ${job.stores.length}` : "";
  return `${job.sums.length} sums ${outputs} of ${length}${chunks > 1 ? ` in ${chunks} chunks` : ""}${kept}`;
}

function jobBytes(job: Job, { buffers }: Plan): number {
  const count = job.kind === "map" ? job.size : job.layout.outputs * job.layout.length;
  const sums = job.kind === "map" ? 0 : job.layout.outputs * job.layout.chunks;
  const touched = ({ buffer, index }: Place) => Math.min(count, reach(index), buffers.get(buffer)!.size);
  const loads = loadsOf(storesOf(job)).reduce((sum, load) => sum + touched(load), 0);
  const stored =
    job.kind === "map" ? job.stores.length * count : job.stores.length * count + job.sums.length * sums;
  return 4 * (loads + stored);
}
