import { indented, type JobText, jobText, memoryOf, type Pointed } from "./job-text.js";
import { type Buffer, type Job, storesOf } from "./plan.js";
import { BLOCK } from "./reductions.js";

/** A launch in CUDA C. Equal texts are one kernel, whichever buffers they are given. */
export interface KernelText {
  /** Parameters and body, to which a name is put. */
  readonly text: string;
  /** What the parameters point to. */
  readonly pointers: readonly Pointed[];
  /** Blocks of 256 threads. */
  readonly blocks: number;
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
      (type, i) => `${type} q${i} = ${choice(group.length, first + i, types.length)};\n`,
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
  return { text: `(${list}) {\n${shared}${parts.join("")}}\n`, pointers, blocks };
}

/** Kernels of these texts under these names. */
export function sourceText(kernels: ReadonlyMap<string, string>): string {
  return [...kernels]
    .map(([name, text]) => `extern "C" __global__ void __launch_bounds__(${BLOCK}) ${name}${text}`)
    .join("\n");
}

/** The parameter of the present copy: one of `copies`, from number `first` on, `step` apart. */
function choice(copies: number, first: number, step: number): string {
  const last = `p${first + (copies - 1) * step}`;
  const others = Array.from(
    { length: copies - 1 },
    (_, copy) => `copy == ${copy}u ? p${first + copy * step} : `,
  );
  return `${others.join("")}${last}`;
}
