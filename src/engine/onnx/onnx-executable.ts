import { acceptInput, type Executable, heldInput, type InputValues, type OutputValues } from "../backend.js";
import type { Program } from "../program.js";
import { inPrecision, type OnnxPrecision, widen } from "./graph.js";
import type { InferenceSession, OrtTensor } from "./onnx-runtime.js";

/** Makes the tensors of one build of ONNX Runtime: its sessions take no others. */
export type TensorClass = typeof OrtTensor;

/** A program in a session of ONNX Runtime, whichever build of it made the session. */
export class OnnxExecutable implements Executable {
  readonly #program: Program;
  readonly #session: InferenceSession;
  readonly #Tensor: TensorClass;
  readonly #precision: OnnxPrecision;
  readonly #held = new Map<string, OrtTensor>();

  constructor(
    program: Program,
    session: InferenceSession,
    { Tensor, precision }: { readonly Tensor: TensorClass; readonly precision: OnnxPrecision },
  ) {
    this.#program = program;
    this.#session = session;
    this.#Tensor = Tensor;
    this.#precision = precision;
  }

  async run(inputs: Readonly<Record<string, InputValues>> = {}, wanted?: readonly string[]) {
    for (const [name, values] of Object.entries(inputs)) this.write(name, values);
    const feeds: Record<string, OrtTensor> = {};
    for (const name of this.#program.inputs.keys()) feeds[name] = heldInput(this.#held, name);
    const results = await this.#session.run(feeds);
    const outputs: Record<string, OutputValues> = {};
    for (const name of this.#program.outputs.keys()) {
      const input = this.#program.carried.get(name);
      if (input !== undefined) this.#held.set(input, results[name]);
      else if (wanted?.includes(name) ?? true) outputs[name] = results[name].data as OutputValues;
    }
    return outputs;
  }

  read(name: string) {
    return (heldInput(this.#held, name).data as OutputValues).slice();
  }

  write(name: string, values: InputValues) {
    const { shape } = acceptInput(this.#program, name, values);
    this.#held.set(name, this.#tensor(values, shape));
  }

  async close() {
    this.#held.clear();
    await this.#session.release();
  }

  #tensor(values: InputValues, shape: readonly number[]): OrtTensor {
    const Tensor = this.#Tensor;
    if (values instanceof Int32Array) return new Tensor("int64", widen(values), shape);
    if (values instanceof BigInt64Array) return new Tensor("int64", values, shape);
    const floats = inPrecision(values, this.#precision);
    return floats instanceof Float32Array
      ? new Tensor("float32", floats, shape)
      : new Tensor("float64", floats, shape);
  }
}
