import { DataError } from "../errors.js";
import { elements } from "../numerics/shape.js";
import type { Program, Tensor } from "./program.js";
import { formatShape } from "./shape.js";

/** Values that an input takes: floating-point numbers for a float, whole numbers for an int. */
export type InputValues = Float32Array | Float64Array | Int32Array | BigInt64Array;
/** Values that come back, in the backend's precision. */
export type OutputValues = Float32Array | Float64Array;

export interface CompileOptions {
  /** Threads per run; default 1, since parallel runs use the cores better. */
  readonly threads?: number;
}

/** What a program needs besides its inputs and constants. */
export interface Demand {
  /** Numbers that it holds at once, at most. */
  readonly working: number;
  /** Numbers of the largest tensor, inputs included. */
  readonly largest: number;
}

/** An engine that executes tensor programs. */
export interface Backend {
  readonly name: string;
  /** Whether few large kernels are faster for it than many that stay in a cache; false by default. */
  readonly prefersLargeKernels?: boolean;
  /** Bytes of its own memory; undefined if it shares the machine's. */
  readonly memory?: number;
  /** Memory needed to execute a program, if known without compiling it; `demandOf` is an upper bound. */
  demand?(program: Program): Demand;
  /** Does the slow part of `compile` in advance, without allocating memory for values. */
  prepare?(program: Program): Promise<void>;
  compile(program: Program, options?: CompileOptions): Promise<Executable>;
}

/** A compiled program with the values of its inputs. */
export interface Executable {
  /**
   * Runs the program and returns its outputs except carried ones, or only the `wanted` ones. If none is wanted, the run
   * may still be in progress when the promise resolves. The caller may then change the arrays. Inputs that are not given
   * keep their last value from `run`, `write` or a carry.
   */
  run(
    inputs?: Readonly<Record<string, InputValues>>,
    wanted?: readonly string[],
  ): Promise<Readonly<Record<string, OutputValues>>>;
  /** The current value of a float input, including a value carried into it by a run. */
  read(name: string): OutputValues;
  /** Sets an input for all later runs. The backend then owns the array: do not change it. */
  write(name: string, values: InputValues): void;
  close(): Promise<void>;
}

/** An executable with inputs that `write` sets. Where there is no room for them it is closed, and its own room is free again. */
export async function filled(
  executable: Executable,
  write: (executable: Executable) => void,
): Promise<Executable> {
  try {
    write(executable);
    return executable;
  } catch (error) {
    await executable.close();
    throw error;
  }
}

/** The input of this name, if values of this kind and number fit it. */
export function acceptInput(program: Program, name: string, values: InputValues): Tensor {
  const tensor = program.inputs.get(name);
  if (!tensor)
    throw new DataError(`the program has no input "${name}", only ${[...program.inputs.keys()].join(", ")}`);
  const whole = values instanceof Int32Array || values instanceof BigInt64Array;
  if (whole !== (tensor.dtype === "int"))
    throw new DataError(`input "${name}" takes ${tensor.dtype} values, not ${values.constructor.name}`);
  if (values.length !== elements(tensor.shape))
    throw new DataError(
      `input "${name}" of shape ${formatShape(tensor.shape)} cannot take ${values.length} values`,
    );
  return tensor;
}

/** The value that an input has, which must have been given by now. */
export function heldInput<V>(held: ReadonlyMap<string, V>, name: string): V {
  const value = held.get(name);
  if (value === undefined) throw new DataError(`input "${name}" has no value; give it to run or write`);
  return value;
}
