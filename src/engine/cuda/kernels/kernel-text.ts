import { factorsOf } from "../plan/layout/products.js";
import { BLOCK } from "../plan/layout/reductions.js";
import {
  type BackwardLayer,
  type Buffer,
  hasOwnKernel,
  type Job,
  type OwnKernel,
  type Step,
  storesOf,
  type TransformedLayer,
} from "../plan/plan.js";
import { backwardKernel } from "./backward/kernel.js";
import { backwardText } from "./backward/text.js";
import { indented } from "./element-text.js";
import { definitions } from "./elementwise-text.js";
import { epilogueText } from "./epilogue-text.js";
import { memoryOf, type Pointed } from "./expression-text.js";
import { type JobText, jobText } from "./job-text.js";
import type { KernelBody, Target } from "./kernel-body.js";
import { matrixKernel } from "./matrix-kernel.js";
import { TENSOR_CORES } from "./tensor-cores.js";
import { transformedKernel } from "./transformed/kernel.js";

/** A launch, or a product of ours, in CUDA C. Equal texts are one kernel, whichever buffers they are given. */
export interface KernelText {
  /** Parameters and body, to which a name is put. */
  readonly text: string;
  /** What the parameters point to. */
  readonly pointers: readonly Pointed[];
  readonly blocks: readonly [number, number, number];
  /** Threads of a block. */
  readonly threads: number;
  /** Blocks that a multiprocessor should have room for. */
  readonly resident: number;
  /** Shared memory whose size is told at the launch. */
  readonly sharedBytes: number;
}

/**
 * The text of jobs side by side: each takes the blocks after those of the one before. Jobs that differ in nothing but
 * their pointers, such as those of many clients, share a text.
 */
export function kernelText(jobs: readonly Job[], buffers: ReadonlyMap<number, Buffer>): KernelText {
  const written = new Set(jobs.flatMap(storesOf).map(({ buffer }) => memoryOf(buffers.get(buffer)!)));
  const groups = new Map<string, JobText[]>();
  for (const job of jobs) {
    const text = jobText(job, buffers, written);
    const key = `${text.types} ${text.blocks} ${text.code}`;
    groups.set(key, [...(groups.get(key) ?? []), text]);
  }
  const parameters: string[] = [];
  const pointers: Pointed[] = [];
  let blocks = 0;
  const parts = [...groups.values()].map((group) => {
    const [{ code, types, blocks: each }] = group;
    const first = pointers.length;
    for (const text of group) {
      pointers.push(...text.pointers);
      parameters.push(...types);
    }
    const start = blocks;
    blocks += each * group.length;
    const chosen = types.map(
      (type, i) => `${type} q${i} = ${choice("copy", group.length, first + i, types.length)};\n`,
    );
    const counted =
      group.length === 1
        ? `const unsigned block = blockIdx.x - ${start}u;\n`
        : `const unsigned copy = (blockIdx.x - ${start}u) / ${each}u;\n` +
          `const unsigned block = (blockIdx.x - ${start}u) % ${each}u;\n`;
    return `  if (blockIdx.x < ${blocks}u) {\n${indented(indented(counted + chosen.join("") + code))}    return;\n  }\n`;
  });
  const sums = Math.max(...[...groups.values()].map(([{ shared }]) => shared));
  const shared = sums > 0 ? `  __shared__ float shared[${sums * BLOCK}];\n` : "";
  const list = parameters.map((type, i) => `${type} p${i}`).join(", ");
  return {
    text: `(${list}) {\n${shared}${parts.join("")}}\n`,
    pointers,
    blocks: [blocks, 1, 1],
    threads: BLOCK,
    resident: 1,
    sharedBytes: 0,
  };
}

const FACTOR = "const float* __restrict__";

/** A product of ours in CUDA C, for blocks of its own grid. Equal texts may be given different pointers. */
export interface ProductJob extends Omit<JobText, "blocks" | "shared">, Omit<KernelBody, "text"> {
  /** What its code calls its pointers. */
  readonly names: readonly string[];
}

export function productJob(
  step: OwnKernel,
  buffers: ReadonlyMap<number, Buffer>,
  target?: Target,
): ProductJob {
  if (step.kind === "backward") return backwardJob(step, buffers, target);
  if (step.kind === "transformed") return transformedJob(step, buffers, target);
  const { results, types, pointers } = epilogueText(step, buffers);
  const { text, ...launch } = matrixKernel(step, results, target);
  const factors = factorsOf(step);
  return {
    ...launch,
    code: text,
    names: [...factors.map((_, i) => "abcd"[i]), ...types.map((_, i) => `q${i}`)],
    types: [...factors.map(() => FACTOR), ...types],
    pointers: [...factors, ...pointers],
  };
}

/** A layer's way back, as a product of ours is. */
function backwardJob(
  step: BackwardLayer,
  buffers: ReadonlyMap<number, Buffer>,
  { passes = 3 }: Target = {},
): ProductJob {
  const { text, names, types, pointers } = backwardText(step, buffers);
  const { text: code, ...launch } = backwardKernel(step, text, passes);
  const factors = [step.layer.a, step.layer.b, step.inputs.b];
  return {
    ...launch,
    code,
    names: [...factors.map((_, i) => "abc"[i]), ...names],
    types: [...factors.map(() => FACTOR), ...types],
    pointers: [...factors, ...pointers],
  };
}

/** A layer and the transform of what becomes of it, as a product of ours is. */
function transformedJob(
  step: TransformedLayer,
  buffers: ReadonlyMap<number, Buffer>,
  target?: Target,
): ProductJob {
  const [layer, transform] = [epilogueText(step.layer, buffers), epilogueText(step.transform, buffers, "u")];
  const elements = { layer: layer.results.elements, transform: transform.results.elements };
  const { text: code, ...launch } = transformedKernel(step, elements, target);
  const factors = [...factorsOf(step.layer), step.transform.a];
  return {
    ...launch,
    code,
    names: [
      ...factors.map((_, i) => (i < factors.length - 1 ? "abcd"[i] : "e")),
      ...layer.types.map((_, i) => `q${i}`),
      ...transform.types.map((_, i) => `u${i}`),
    ],
    types: [...factors.map(() => FACTOR), ...layer.types, ...transform.types],
    pointers: [...factors, ...layer.pointers, ...transform.pointers],
  };
}

/** The text of products that differ in nothing but their pointers, one behind the other along the grid's last axis. */
export function productText(jobs: readonly ProductJob[]): KernelText {
  const [{ code, names, types, blocks, threads, resident, sharedBytes }] = jobs;
  const list = jobs.flatMap((_, copy) => types.map((type, i) => `${type} p${copy * types.length + i}`));
  const chosen = types.map(
    (type, i) => `${type} ${names[i]} = ${choice("which", jobs.length, i, types.length)};\n`,
  );
  const [x, y, z] = blocks;
  const body =
    jobs.length === 1
      ? chosen.join("") + code
      : `const unsigned which = blockIdx.z / ${z}u;\n${chosen.join("")}` +
        `const uint3 own = make_uint3(blockIdx.x, blockIdx.y, blockIdx.z % ${z}u);\n` +
        // Each takes its place among the blocks for the whole grid.
        `{\n  const uint3 blockIdx = own;\n${indented(code)}}\n`;
  return {
    text: `(${list.join(", ")}) {\n${indented(body)}}\n`,
    pointers: jobs.flatMap(({ pointers }) => pointers),
    blocks: [x, y, z * jobs.length],
    threads,
    resident,
    sharedBytes,
  };
}

/** The text of a step that has a kernel of ours. */
export function stepText(
  step: Step,
  buffers: ReadonlyMap<number, Buffer>,
  target?: Target,
): KernelText | undefined {
  if (step.kind === "launch") return kernelText(step.jobs, buffers);
  return hasOwnKernel(step) ? productText([productJob(step, buffers, target)]) : undefined;
}

/** Kernels of these texts under these names. */
export function sourceText(
  kernels: ReadonlyMap<string, Pick<KernelText, "text" | "threads" | "resident">>,
): string {
  const texts = [...kernels].map(
    ([name, { text, threads, resident }]) =>
      `extern "C" __global__ void __launch_bounds__(${threads}, ${resident}) ${name}${text}`,
  );
  const usesTensorCores = texts.some((text) => text.includes("multiply_add"));
  return [...(usesTensorCores ? [TENSOR_CORES] : []), ...definitions(texts), ...texts].join("\n");
}

/** The parameter of the present copy, which `counter` names: one of `copies`, from number `first` on, `step` apart. */
function choice(counter: string, copies: number, first: number, step: number): string {
  const last = `p${first + (copies - 1) * step}`;
  const others = Array.from(
    { length: copies - 1 },
    (_, copy) => `${counter} == ${copy}u ? p${first + copy * step} : `,
  );
  return `${others.join("")}${last}`;
}
