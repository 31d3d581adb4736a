import { DataError } from "../../errors.js";
import { elements } from "../../numerics/shape.js";
import {
  acceptInput,
  type Backend,
  type Demand,
  type Executable,
  heldInput,
  type InputValues,
} from "../backend.js";
import type { Program, Tensor } from "../program.js";
import type { ProductStep } from "./alike-products.js";
import { type Call, stagesOf } from "./calls.js";
import type { PlanOptions } from "./compile-plan.js";
import type { Device, DeviceEvent, Graph, Pointer, ProductTable, StridedProduct } from "./device/device.js";
import { fourBytes, type HeldArrays, heldArrays, uploaded } from "./held-arrays.js";
import { hasBackwardKernel } from "./kernels/backward/tiling.js";
import { canFuseSecondProduct, canReduceLines, canSumFactors, hasKernel } from "./kernels/matrix-kernel.js";
import { hasTransformedKernel } from "./kernels/transformed/tiling.js";
import { knownPrograms } from "./known-programs.js";
import type { Matrix } from "./plan/layout/products.js";
import type { Buffer, Plan } from "./plan/plan.js";

/** Arrays of this many bytes are shared between programs. */
const LARGE = 2 ** 20;
/** Runs that may be issued before the device has finished them, if nothing of them is wanted. */
const RUNS_AHEAD = 8;

/**
 * Programs on a GPU, in float32. A run is one CUDA graph; carried values stay on the device. The options choose what
 * products become; their defaults are made for speed.
 */
export function cudaBackend(device: Device, chosen: PlanOptions = {}) {
  const { multiprocessors } = device;
  const options: PlanOptions = {
    processors: multiprocessors.processors,
    hasKernel: (product) => hasTensorCores(device) && hasKernel(product, multiprocessors),
    canSumFactors: (product) => canSumFactors(product, multiprocessors),
    canFuseSecondProduct: (product) =>
      hasTensorCores(device) && canFuseSecondProduct(product, multiprocessors),
    canReduceLines: (product, lines) =>
      hasTensorCores(device) && canReduceLines(product, lines, multiprocessors),
    hasBackwardKernel: (layer) => hasTensorCores(device) && hasBackwardKernel(layer, multiprocessors),
    hasTransformedKernel: (layer) => hasTensorCores(device) && hasTransformedKernel(layer, multiprocessors),
    ...chosen,
  };
  const held = heldArrays(device);
  const known = knownPrograms(device, options);
  return {
    name: "cuda",
    prefersLargeKernels: true,
    memory: device.memory,
    demand: (program: Program) => demandOf(known(program).plan),
    async prepare(program: Program) {
      await known(program).calls();
    },
    async compile(program: Program) {
      const { plan, calls } = known(program);
      return new CudaExecutable(program, plan, await calls(), device, held);
    },
  } satisfies Backend;
}

/** Whether tensor cores take TF32 numbers, as they do since Ampere. */
const hasTensorCores = ({ capability: [major] }: Device): boolean => major >= 8;

function demandOf({ arena, buffers }: Plan): Demand {
  return {
    working: arena,
    largest: [...buffers.values()].reduce((most, { size }) => Math.max(most, size), 0),
  };
}

export class CudaExecutable implements Executable {
  readonly #program: Program;
  readonly #plan: Plan;
  readonly #device: Device;
  readonly #held: HeldArrays;
  readonly #calls: readonly Call[];
  readonly #stages: readonly (readonly Call[])[];
  readonly #arena: Pointer;
  readonly #constants: ReadonlyMap<number, Pointer>;
  /** Memory of inputs that are given anew or carried. */
  readonly #own = new Map<string, Pointer>();
  /** Large arrays that inputs hold together with other programs. */
  readonly #shared = new Map<string, { readonly values: InputValues; readonly pointer: Pointer }>();
  readonly #carried: ReadonlySet<string>;
  /** The ends of the last runs. */
  readonly #ends: readonly DeviceEvent[];
  /** Addresses of products that are done together; undefined where they cannot. Known as long as nothing moves. */
  #tables: ReadonlyMap<Call, ProductTable> | undefined;
  #runs = 0;
  #graph: Graph | undefined;

  constructor(program: Program, plan: Plan, calls: readonly Call[], device: Device, held: HeldArrays) {
    this.#program = program;
    this.#plan = plan;
    this.#device = device;
    this.#held = held;
    this.#carried = new Set(program.carried.values());
    this.#calls = calls;
    this.#stages = stagesOf(this.#calls);
    this.#ends = Array.from({ length: RUNS_AHEAD }, () => device.event());
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
    this.#tables ??= this.#placed();
    // The first run lets libraries load what they need, which a graph cannot.
    if (this.#runs++ === 0) this.#issue();
    else {
      this.#graph ??= this.#device.capture(() => this.#issue());
      this.#graph.launch();
    }
    const end = this.#ends[this.#runs % RUNS_AHEAD];
    await end.reached();
    end.record();
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
   * Milliseconds of each step of the plan, one after another, by events between them within a graph: a microsecond of
   * each is the event's. Products that are done together have equal parts of their time. To be asked after a run; values
   * that are carried are spoilt.
   */
  async stepTimes(): Promise<readonly number[]> {
    const events = Array.from({ length: this.#calls.length + 1 }, () => this.#device.event());
    const graph = this.#device.capture(() => {
      events[0].record();
      this.#calls.forEach((call, i) => {
        this.#issueCall(call);
        events[i + 1].record();
      });
    });
    graph.launch();
    graph.launch();
    await this.#device.synchronise();
    const times = new Array<number>(this.#plan.steps.length).fill(0);
    this.#calls.forEach(({ steps }, i) => {
      for (const step of steps) times[step] = events[i + 1].since(events[i]) / steps.length;
    });
    graph.close();
    for (const event of events) event.close();
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

  /** Graphs and tables know addresses: they are made again when one has changed. */
  #moved(): void {
    this.#graph?.close();
    this.#graph = undefined;
    for (const { addresses } of this.#tables?.values() ?? []) this.#device.free(addresses);
    this.#tables = undefined;
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

  /** Places the addresses of products that are done together. */
  #placed(): ReadonlyMap<Call, ProductTable> {
    const tables = new Map<Call, ProductTable>();
    for (const call of this.#calls) {
      if (call.kind !== "products" || call.products.length === 1) continue;
      const table = this.#device.placeTogether(call.products.map((product) => this.#product(product)));
      if (table) tables.set(call, table);
    }
    return tables;
  }

  /** Tells the device all that a run consists of. */
  #issue(): void {
    for (const stage of this.#stages) {
      if (stage.length === 1) this.#issueCall(stage[0]);
      else this.#device.concurrently(stage.map((call) => () => this.#issueCall(call)));
    }
  }

  #issueCall(call: Call): void {
    switch (call.kind) {
      case "launch": {
        const pointers = call.text.pointers.map(({ buffer, offset }) => this.#address(buffer, offset));
        const { blocks, threads, sharedBytes, resident } = call.text;
        this.#device.launch(call.kernel, blocks, threads, pointers, sharedBytes, resident);
        return;
      }
      case "copy":
        this.#device.copy(this.#address(call.to, 0), this.#address(call.from, 0), 4 * call.size);
        return;
      case "products": {
        const table = this.#tables?.get(call);
        if (table) this.#device.multiplyAll(table);
        else for (const product of call.products) this.#device.multiply(this.#product(product));
      }
    }
  }

  #product({ rows, columns, inner, batch, a, b, c }: ProductStep): StridedProduct {
    const placed = <M extends Omit<Matrix, "transposed">>(matrix: M) => ({
      ...matrix,
      pointer: this.#address(matrix.buffer, matrix.offset),
    });
    return { rows, columns, inner, batch, a: placed(a), b: placed(b), c: placed(c), beta: 0 };
  }
}
