import {
  acceptInput,
  type Backend,
  type Executable,
  heldInput,
  type InputValues,
  type OutputValues,
} from "../backend.js";
import type { Program } from "../program.js";
import { blockSize } from "./block-size.js";
import { encodeOnnx } from "./encode.js";
import { inPrecision, type OnnxPrecision, widen } from "./graph.js";
import { InferenceSession, OrtTensor } from "./onnx-runtime.js";

/** ONNX Runtime on the CPU, in float32. Needs Node. */
export const onnxBackend: Backend = backendIn("float32");

/** The same in float64, for statements about remainders: slower, and as exact as the reference. Needs Node. */
export const onnxDoubleBackend: Backend = backendIn("float64");

function backendIn(precision: OnnxPrecision): Backend {
  return {
    name: precision === "float32" ? "onnx" : "onnx-double",
    async compile(program, { threads = 1 } = {}) {
      const block = precision === "float32" ? await blockSize() : 1;
      const bytes = encodeOnnx(program, { extensions: true, block, precision });
      const session = await InferenceSession.create(bytes, {
        executionProviders: ["cpu"],
        executionMode: "sequential",
        graphOptimizationLevel: "all",
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        logSeverityLevel: 3,
      });
      return new OnnxExecutable(program, session, precision);
    },
  };
}

class OnnxExecutable implements Executable {
  readonly #program: Program;
  readonly #session: InferenceSession;
  readonly #precision: OnnxPrecision;
  readonly #held = new Map<string, OrtTensor>();

  constructor(program: Program, session: InferenceSession, precision: OnnxPrecision) {
    this.#program = program;
    this.#session = session;
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
    this.#held.set(name, ortTensor(values, shape, this.#precision));
  }

  async close() {
    this.#held.clear();
    await this.#session.release();
  }
}

function ortTensor(values: InputValues, shape: readonly number[], precision: OnnxPrecision): OrtTensor {
  if (values instanceof Int32Array) return new OrtTensor("int64", widen(values), shape);
  if (values instanceof BigInt64Array) return new OrtTensor("int64", values, shape);
  const floats = inPrecision(values, precision);
  return floats instanceof Float32Array
    ? new OrtTensor("float32", floats, shape)
    : new OrtTensor("float64", floats, shape);
}
