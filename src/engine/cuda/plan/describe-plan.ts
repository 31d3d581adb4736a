import { type Place, partsOf } from "./expressions/expression.js";
import { reach } from "./expressions/index-algebra.js";
import { type Matrix, productBytes, productFlops } from "./layout/products.js";
import { isOwn, type Job, loadsOf, type Plan, type Step, type Store, storesOf } from "./plan.js";

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
      const { rows, columns, inner, batch, a, b, added } = step;
      const matrix = (height: number, width: number, { transposed }: Matrix) =>
        `[${height}, ${width}]${transposed ? "^T" : ""}`;
      const second = added
        ? ` + ${matrix((rows * columns) / added.columns, added.inner, added.a)} ${matrix(added.inner, added.columns, added.b)}`
        : "";
      const text = `${batch} x ${matrix(rows, inner, a)} ${matrix(inner, columns, b)}${second}`;
      const { kind } = step;
      if (!isOwn(step)) return { kind, text, bytes: productBytes(step), flops: productFlops(step) };
      const { epilogue, sums, lines } = step;
      const size = rows * columns * batch;
      const isBare = epilogue.length === 1 && epilogue[0].value.kind === "product";
      const stores = [...epilogue, ...lines];
      const bytes =
        productBytes(step) - 4 * size + loadBytes(stores, size, plan) + 4 * epilogue.length * size;
      const told = isBare || epilogue.length === 0 ? ", ours" : `, ours, to ${operationsOf(epilogue)}`;
      const along = lines.map((line) => `, adding up ${operationsOf([line])} along each ${line.along}`);
      const factors = sums.map(({ side }) => `, adding up its ${side === 0 ? "left" : "right"} factor`);
      return {
        kind,
        text: `${text}${told}${along.join("")}${factors.join("")}`,
        bytes,
        flops: productFlops(step),
      };
    }
    case "backward": {
      const { layer, inputs, weights } = step;
      const [ofLayer, ...others] = [layer, inputs, weights].map((one) => summaryOf(one, plan));
      const derivative = 4 * layer.rows * layer.columns * layer.batch;
      const isRead = 4 * layer.rows * layer.inner * layer.batch;
      const bytes = others.reduce(
        (sum, one) => sum + one.bytes - derivative,
        ofLayer.bytes - derivative - isRead,
      );
      return {
        kind: step.kind,
        text: `${ofLayer.text}, and back to inputs and weights`,
        bytes,
        flops: others.reduce((sum, one) => sum + one.flops, ofLayer.flops),
      };
    }
    case "transformed": {
      const { layer, transform } = step;
      const [first, second] = [layer, transform].map((one) => summaryOf(one, plan));
      const isRead = 4 * layer.rows * layer.columns * layer.batch;
      return {
        kind: step.kind,
        text: `${first.text}, and ${transform.rows} numbers of every ${transform.inner}`,
        bytes: first.bytes + second.bytes - isRead,
        flops: first.flops + second.flops,
      };
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

/** What an epilogue makes of a product: each of its stores as the operations on the way, the last one first. */
function operationsOf(epilogue: readonly Store[]): string {
  return epilogue
    .map(({ value }) =>
      partsOf([value])
        .flatMap((part) => (part.kind === "apply" ? [part.name] : []))
        .reverse(),
    )
    .map((names) => (names.length === 0 ? "itself" : names.join(" ")))
    .join(", ");
}

function jobBytes(job: Job, plan: Plan): number {
  if (job.kind === "map") return storeBytes(job.stores, job.size, plan);
  const { outputs, length, chunks } = job.layout;
  const count = outputs * length;
  const sums = outputs * chunks * job.sums.length;
  return loadBytes(storesOf(job), count, plan) + 4 * (job.stores.length * count + sums);
}

/** Bytes that `count` threads read and write, each its own element of every store. */
function storeBytes(stores: readonly Store[], count: number, plan: Plan): number {
  return loadBytes(stores, count, plan) + 4 * stores.length * count;
}

function loadBytes(stores: readonly Store[], count: number, { buffers }: Plan): number {
  const touched = ({ buffer, index }: Place) => Math.min(count, reach(index), buffers.get(buffer)!.size);
  return 4 * loadsOf(stores).reduce((sum, load) => sum + touched(load), 0);
}
