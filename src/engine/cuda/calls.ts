import { alikeProducts, type ProductStep } from "./alike-products.js";
import type { Device, Kernel } from "./device/device.js";
import type { Target } from "./kernels/kernel-body.js";
import { type KernelText, kernelText, productJob, productText, sourceText } from "./kernels/kernel-text.js";
import { hasOwnKernel, isOwn, type Plan } from "./plan/plan.js";

/** What the device is told at once: a kernel of ours, one product of the library or several that are alike, or a copy. */
export type Call = { readonly stage: number; readonly steps: readonly number[] } & (
  | { readonly kind: "launch"; readonly kernel: Kernel; readonly text: KernelText }
  | { readonly kind: "products"; readonly products: readonly ProductStep[] }
  | { readonly kind: "copy"; readonly to: number; readonly from: number; readonly size: number }
);

/** Pointers that a kernel takes at most, of the 512 that CUDA allows. */
const POINTERS = 400;
/** Modules into which kernels are divided, to be compiled at the same time. */
const MODULES = 16;
/** Blocks that a grid may have along its last axis. */
const DEEPEST = 65535;

type Compiling = Pick<Device, "precision" | "multiprocessors" | "prepare" | "compile">;

/** The calls of a plan, stage by stage. Kernels are compiled, equal ones once. */
export async function callsOf(plan: Plan, device: Compiling): Promise<Call[]> {
  const { steps } = plan;
  const { precision, multiprocessors } = device;
  const texts = launchesOf(plan, { passes: precision === "tf32" ? 1 : 3, multiprocessors });
  const kernels = await compiled(
    texts.map(({ text }) => text),
    device,
  );
  const launches = new Map(texts.map((launch) => [launch.steps[0], launch]));
  const numbers = new Map(steps.map((step, i) => [step, i]));
  const products = new Map<number, ProductStep[]>();
  for (const step of steps)
    if (step.kind === "product" && !isOwn(step))
      products.set(step.stage, [...(products.get(step.stage) ?? []), step]);
  return steps.flatMap((step, i): Call[] => {
    const { stage } = step;
    const launch = launches.get(i);
    if (launch) return [{ stage, ...launch, kind: "launch", kernel: kernels.get(launch.text.text)! }];
    if (step.kind === "copy")
      return [{ stage, steps: [i], kind: "copy", to: step.to, from: step.from, size: step.size }];
    // With the first product of a stage come all of it.
    if (products.get(stage)?.[0] !== step) return [];
    return alikeProducts(products.get(stage)!).map((group) => ({
      stage,
      steps: group.map((one) => numbers.get(one)!),
      kind: "products",
      products: group,
    }));
  });
}

interface Launch {
  readonly steps: readonly number[];
  readonly text: KernelText;
}

/** Steps that have kernels of ours; products of a stage that differ in their pointers alone are one launch. */
function launchesOf({ steps, buffers }: Plan, target: Target): Launch[] {
  const launches: Launch[] = [];
  const alike = new Map<string, { step: number; job: ReturnType<typeof productJob> }[]>();
  steps.forEach((step, i) => {
    if (step.kind === "launch") launches.push({ steps: [i], text: kernelText(step.jobs, buffers) });
    if (!hasOwnKernel(step)) return;
    const job = productJob(step, buffers, target);
    const key = `${step.stage} ${job.types} ${job.blocks} ${job.code}`;
    alike.set(key, [...(alike.get(key) ?? []), { step: i, job }]);
  });
  for (const group of alike.values()) {
    const [{ job }] = group;
    const most = Math.max(
      1,
      Math.min(Math.floor(POINTERS / job.types.length), Math.floor(DEEPEST / job.blocks[2])),
    );
    for (let start = 0; start < group.length; start += most) {
      const together = group.slice(start, start + most);
      launches.push({
        steps: together.map(({ step }) => step),
        text: productText(together.map((one) => one.job)),
      });
    }
  }
  return launches;
}

/** Equal kernels are compiled once, all of them in several modules at the same time. */
async function compiled(
  texts: readonly KernelText[],
  device: Pick<Device, "prepare" | "compile">,
): Promise<ReadonlyMap<string, Kernel>> {
  const different = [...new Map(texts.map((one) => [one.text, one])).values()];
  const modules = evenly(different, MODULES).map((part) => {
    const named = new Map(part.map((one, i) => [`kernel${i}`, one]));
    return { named, source: sourceText(named) };
  });
  await device.prepare(modules.map(({ source }) => source));
  const kernels = modules.flatMap(({ named, source }) => {
    const found = device.compile(source, [...named.keys()]);
    return [...named].map(([name, { text }]) => [text, found.get(name)!] as const);
  });
  return new Map(kernels);
}

/** At most `count` lists of texts of about the same length together. */
function evenly(texts: readonly KernelText[], count: number): KernelText[][] {
  const lists = Array.from({ length: Math.min(count, texts.length) }, () => ({
    texts: [] as KernelText[],
    length: 0,
  }));
  for (const one of [...texts].sort((a, b) => b.text.length - a.text.length)) {
    const least = lists.reduce((a, b) => (b.length < a.length ? b : a));
    least.texts.push(one);
    least.length += one.text.length;
  }
  return lists.map((list) => list.texts);
}

/** Calls that can be done at the same time; copies, which move inputs, one after another. */
export function stagesOf(calls: readonly Call[]): Call[][] {
  const stages: Call[][] = [];
  for (const call of calls) {
    const present = stages.at(-1);
    if (present?.[0].stage === call.stage && call.kind !== "copy") present.push(call);
    else stages.push([call]);
  }
  return stages;
}
