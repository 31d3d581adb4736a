import { type Backend, type CompileOptions, type Executable, filled } from "../../engine/backend.js";
import { gather, multiply, subtract, sum } from "../../engine/operations.js";
import { Program } from "../../engine/program.js";
import { parameterCount, weightsOf } from "../../models/parameter-layout.js";
import {
  type TrainableModel as Operator,
  replaceSamples,
  type TrainingSamples,
} from "../../models/trainable-model.js";
import { unlessHeld } from "../held-inputs.js";
import { replicaAxes } from "../replicas/replicas.js";
import {
  forEachWindow,
  type SampleForm,
  type SampleWindows,
  sampleWindows,
} from "../samples/sample-windows.js";
import type { Samples } from "../samples/stored-samples.js";
import { byChannels } from "../scaled-tensors.js";
import { joinedVectors } from "../trainer-state.js";

const AS_THEY_ARE: SampleForm<TrainingSamples> = { of: (samples) => samples, replace: replaceSamples };

/** How a program of errors is laid out. */
export interface ErrorSizes {
  readonly replicas: number;
  /** Samples of each replica in a run. */
  readonly rows: number;
  readonly channels: number;
}

/** Squared errors of samples, and how they are compiled. */
export interface ErrorProgram {
  readonly windows: SampleWindows<TrainingSamples>;
  readonly sizes: ErrorSizes;
  program(): Program;
}

export function errorsOn(operator: Operator, samples: Samples, sizes: ErrorSizes): ErrorProgram {
  const windows = sampleWindows(samples, sizes.replicas * sizes.rows, AS_THEY_ARE);
  return { windows, sizes, program: () => errorProgram(operator, windows.shape, sizes) };
}

/** Squared distances of predictions from the truth. */
export interface SampleErrors {
  /**
   * Those of the chosen samples of each replica, in their order.
   *
   * @param chosen samples among those of all replicas; lists may differ in length
   */
  of(parameters: readonly Float32Array[], chosen: readonly Int32Array[]): Promise<readonly Float64Array[]>;
  close(): Promise<void>;
}

/** @param scales of the channels of each replica, where there are several */
export async function openErrors(
  { windows, sizes, program }: ErrorProgram,
  scales: Float32Array,
  backend: Backend,
  options: CompileOptions,
): Promise<SampleErrors> {
  const { rows, channels } = sizes;
  const executable: Executable = await backend.compile(program(), options);
  const give = unlessHeld<TrainingSamples>(({ inputs, responses }) => {
    executable.write("inputs", inputs);
    executable.write("responses", responses);
  });
  await filled(executable, () => {
    give(windows.shape);
    if (channels > 1) executable.write("scales", scales);
  });
  return {
    async of(parameters, chosen) {
      executable.write("parameters", joinedVectors(parameters));
      const found = chosen.map(({ length }) => new Float64Array(length));
      const most = Math.max(...chosen.map(({ length }) => length));
      const batches = Array.from({ length: Math.ceil(most / rows) }, (_, batch) => {
        const first = batch * rows;
        const indices = new Int32Array(chosen.length * rows);
        chosen.forEach((own, replica) => {
          for (let i = 0; i < rows; i++)
            indices[replica * rows + i] = own[Math.min(first + i, own.length - 1)] ?? 0;
        });
        return { first, chosen: indices };
      });
      await forEachWindow(windows, batches, async ({ held, indices }, { first }) => {
        give(held);
        const { errors } = await executable.run({ indices });
        found.forEach((own, replica) => {
          for (let i = 0; i < Math.min(rows, own.length - first); i++)
            own[first + i] = errors[replica * rows + i];
        });
      });
      return found;
    },
    close: () => executable.close(),
  };
}

/** Output `errors` [replicas, rows]: the squared distance from the truth of each replica's samples, chosen by `indices`. */
function errorProgram(
  operator: Operator,
  { samples, inputs, responses }: TrainingSamples,
  { replicas, rows, channels }: ErrorSizes,
): Program {
  const program = new Program();
  const axes = replicaAxes(replicas);
  const indices = program.input("indices", [...axes, rows], "int");
  const given = (name: string, values: Float32Array) =>
    gather(program.input(name, [samples, values.length / samples]), indices);
  const parameters = program.input("parameters", [...axes, parameterCount(operator.layout)]);
  const prediction = operator.predict(weightsOf(parameters, operator.layout), given("inputs", inputs));
  const scaled = subtract(prediction, given("responses", responses));
  const residuals =
    channels === 1
      ? scaled
      : byChannels(scaled, channels, (x) => multiply(x, program.input("scales", [...axes, 1, channels, 1])));
  program.output("errors", sum(multiply(residuals, residuals), [axes.length + 1]));
  return program;
}
