import { DataError } from "../../errors.js";
import { elements } from "../../files/element-type.js";
import { acceptInput, type Backend, type Executable, heldInput, type InputValues } from "../backend.js";
import type { Program, Tensor } from "../program.js";
import { planOf } from "./compile-plan.js";
import type { Device, Graph, Kernel, Mark, Pointer } from "./device.js";
import { fourBytes, type HeldArrays, heldArrays, uploaded } from "./held-arrays.js";
import { type KernelText, kernelText, sourceText } from "./kernel-text.js";
import type { Buffer, Plan, Step } from "./plan.js";
import type { Matrix } from "./products.js";
import { BLOCK } from "./reductions.js";

/** Arrays of this many bytes are shared between programs. */
const LARGE = 2 ** 20;
/** Runs that may be issued before the device has finished them, if nothing of them is wanted. */
const RUNS_AHEAD = 8;

/** Programs on a GPU, in float32. A run is one CUDA graph; carried values stay on the device. */
export function cudaBackend(device: Device) {
  const held = heldArrays(device);
  return {
    name: "cuda",
    wide: true,
    memory: device.memory,
    compile: async (program: Program) => new CudaExecutable(program, planOf(program), device, held),
  } satisfies Backend;
}

/** A launch with its kernel, or a step that needs none. */
type Prepared = { readonly stage: number } & (
  | { readonly kernel: Kernel; readonly text: KernelText }
  | { readonly kernel: undefined; readonly step: Exclude<Step, { kind: "launch" }> }
);

export class CudaExecutable implements Executable {
  readonly #program: Program;
  readonly #plan: Plan;
  readonly #device: Device;
  readonly #held: HeldArrays;
  readonly #steps: readonly Prepared[];
  readonly #stages: readonly (readonly Prepared[])[];
  readonly #arena: Pointer;
  readonly #constants: ReadonlyMap<number, Pointer>;
  /** Memory of inputs that are given anew or carried. */
  readonly #own = new Map<string, Pointer>();
  /** Large arrays that inputs hold together with other programs. */
  readonly #shared = new Map<string, { readonly values: InputValues; readonly pointer: Pointer }>();
  readonly #carried: ReadonlySet<string>;
  /** The ends of the last runs. */
  readonly #ends: readonly Mark[];
  #runs = 0;
  #graph: Graph | undefined;

  constructor(program: Program, plan: Plan, device: Device, held: HeldArrays) {
    this.#program = program;
    this.#plan = plan;
    this.#device = device;
    this.#held = held;
    this.#carried = new Set(program.carried.values());
    this.#steps = prepare(plan, device);
    this.#stages = stagesOf(this.#steps);
    this.#ends = Array.from({ length: RUNS_AHEAD }, () => device.mark());
    this.#arena = device.allocate(4 * plan.arena);
    this.#constants = new Map(
      [...plan.buffers.values()].flatMap(({ id, location }) =>
        location.kind === "constant" ? [[id, uploaded(device, location.values)] as const] : [],
      ),
    );
  }

  async run(inputs: Readonly<Record<string, InputValues>> = {}, wanted?: readonly string[]) {
    for (const [name, values] of Object.entries(inputs)) this.#give(name, values);
    for (const name of this.#program.inputs.keys()) this.#inputPointer(name);
    // The first run lets libraries load what they need, which a graph cannot.
    if (this.#runs++ === 0) this.#issue();
    else {
      this.#graph ??= this.#device.capture(() => this.#issue());
      this.#graph.launch();
    }
    const end = this.#ends[this.#runs % RUNS_AHEAD];
    await end.reached();
    end.set();
    const outputs: Record<string, Float32Array> = {};
    const returned = [...this.#plan.outputs].filter(([name]) => wanted?.includes(name) ?? true);
    if (returned.length > 0) await end.reached();
    for (const [name, { buffer, shape }] of returned) {
      outputs[name] = new Float32Array(elements(shape));
      this.#device.download(this.#address(buffer, 0), outputs[name]);
    }
    return outputs;
  }

  /**
   * Milliseconds of each step of a run, one after another, by marks between them within a graph: a microsecond of each
   * is the mark's. Inputs must have values; those that are carried are spoilt.
   */
  async stepTimes(): Promise<readonly number[]> {
    const marks = Array.from({ length: this.#steps.length + 1 }, () => this.#device.mark());
    const graph = this.#device.capture(() => {
      marks[0].set();
      this.#steps.forEach((step, i) => {
        this.#issueStep(step);
        marks[i + 1].set();
      });
    });
    graph.launch();
    graph.launch();
    await this.#device.synchronise();
    const times = this.#steps.map((_, step) => marks[step + 1].since(marks[step]));
    graph.close();
    for (const mark of marks) mark.close();
    return times;
  }

  read(name: string) {
    const values = new Float32Array(elements(this.#program.inputs.get(name)?.shape ?? []));
    this.#device.download(this.#inputPointer(name), values);
    return values;
  }

  write(name: string, values: InputValues) {
    this.#accept(name, values);
    const known = this.#shared.get(name);
    if (known?.values === values) return;
    if (values.byteLength < LARGE || this.#carried.has(name)) {
      this.#give(name, values);
      return;
    }
    const pointer = this.#held.take(values);
    this.#forget(name);
    this.#shared.set(name, { values, pointer });
  }

  async close() {
    await this.#device.synchronise();
    this.#moved();
    for (const end of this.#ends) end.close();
    for (const { values } of this.#shared.values()) this.#held.release(values);
    for (const pointer of [this.#arena, ...this.#constants.values(), ...this.#own.values()])
      this.#device.free(pointer);
    this.#shared.clear();
    this.#own.clear();
  }

  /** Copies values into an input's own memory. */
  #give(name: string, values: InputValues): void {
    const { shape } = this.#accept(name, values);
    let pointer = this.#own.get(name);
    if (pointer === undefined) {
      this.#forget(name);
      pointer = this.#device.allocate(4 * elements(shape));
      this.#own.set(name, pointer);
    }
    this.#device.upload(pointer, fourBytes(values));
  }

  /** The input that takes these values. An index beyond its table would read memory of others. */
  #accept(name: string, values: InputValues): Tensor {
    const tensor = acceptInput(this.#program, name, values);
    const rows = this.#plan.rows.get(name);
    if (rows === undefined) return tensor;
    // Counted: an iterator takes ten times as long, more than a round of small models.
    for (let i = 0; i < values.length; i++)
      if (!(values[i] >= 0 && values[i] < rows))
        throw new DataError(`index ${values[i]} is not one of rows 0 to ${rows - 1}`);
    return tensor;
  }

  /** Gives up where an input lay. */
  #forget(name: string): void {
    const shared = this.#shared.get(name);
    const own = this.#own.get(name);
    if (shared) this.#held.release(shared.values);
    if (own !== undefined) this.#device.free(own);
    this.#shared.delete(name);
    this.#own.delete(name);
    this.#moved();
  }

  /** A graph knows addresses: it is captured again when one has changed. */
  #moved(): void {
    this.#graph?.close();
    this.#graph = undefined;
  }

  #inputPointer(name: string): Pointer {
    return this.#own.get(name) ?? heldInput(this.#shared, name).pointer;
  }

  #address(buffer: number, offset: number): Pointer {
    const { location } = this.#plan.buffers.get(buffer) as Buffer;
    switch (location.kind) {
      case "input":
        return this.#inputPointer(location.input) + 4n * BigInt(offset);
      case "constant":
        return this.#constants.get(buffer)! + 4n * BigInt(offset);
      case "arena":
        return this.#arena + 4n * BigInt(location.offset + offset);
    }
  }

  /** Tells the device all steps of a run. */
  #issue(): void {
    for (const stage of this.#stages) {
      if (stage.length === 1) this.#issueStep(stage[0]);
      else this.#device.concurrently(stage.map((step) => () => this.#issueStep(step)));
    }
  }

  #issueStep(prepared: Prepared): void {
    if (prepared.kernel) {
      const { kernel, text } = prepared;
      const pointers = text.pointers.map(({ buffer, offset }) => this.#address(buffer, offset));
      this.#device.launch(kernel, [text.blocks, 1, 1], BLOCK, pointers);
      return;
    }
    const { step } = prepared;
    if (step.kind === "copy") {
      this.#device.copy(this.#address(step.to, 0), this.#address(step.from, 0), 4 * step.size);
      return;
    }
    const { rows, columns, inner, batch } = step;
    const placed = <M extends Omit<Matrix, "transposed">>(matrix: M) => ({
      ...matrix,
      pointer: this.#address(matrix.buffer, matrix.offset),
    });
    const [a, b, c] = [placed(step.a), placed(step.b), placed(step.c)];
    this.#device.multiply({ rows, columns, inner, batch, a, b, c, beta: 0 });
  }
}

/** Compiles the kernels of a plan, equal ones once. */
function prepare({ steps, buffers }: Plan, device: Device): Prepared[] {
  const names = new Map<string, string>();
  const texts = steps.map((step) => {
    if (step.kind !== "launch") return undefined;
    const text = kernelText(step.jobs, buffers);
    if (!names.has(text.text)) names.set(text.text, `kernel${names.size}`);
    return text;
  });
  const source = sourceText(new Map([...names].map(([text, name]) => [name, text])));
  const kernels = names.size > 0 ? device.compile(source, [...names.values()]) : new Map<string, Kernel>();
  return steps.map((step, i) => {
    const text = texts[i];
    const { stage } = step;
    if (step.kind === "launch") return { stage, kernel: kernels.get(names.get(text!.text)!)!, text: text! };
    return { stage, kernel: undefined, step };
  });
}

/** Steps that can be done at the same time; copies, which move inputs, one after another. */
function stagesOf(steps: readonly Prepared[]): Prepared[][] {
  const stages: Prepared[][] = [];
  for (const step of steps) {
    const present = stages.at(-1);
    const isCopy = step.kernel === undefined && step.step.kind === "copy";
    if (present?.[0].stage === step.stage && !isCopy) present.push(step);
    else stages.push([step]);
  }
  return stages;
}
