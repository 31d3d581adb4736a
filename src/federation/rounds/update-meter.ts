import type { Backend, Executable, InputValues } from "../../engine/backend.js";
import type { Program } from "../../engine/program.js";
import type { Training } from "../../models/trainable-model.js";
import { hold } from "../held-inputs.js";
import type { Replica } from "../replicas/replicas.js";
import { roundProgram, UPDATE_PAIRS, UPDATES } from "./round-program.js";
import { sizesOfRound } from "./round-sizes.js";
import type { RoundWishes } from "./rounds.js";

/** Measures the clients' updates of a round that is about to be made, on the state that its program has. */
export interface UpdateMeter {
  measure(
    executable: Executable,
    held: Training,
    inputs: Readonly<Record<string, InputValues>>,
  ): ReturnType<Executable["run"]>;
  close(): Promise<void>;
}

/**
 * A program of its own for updates, where the program of every round does not measure them: rounds of small models would
 * take a third longer. It is compiled when it is first needed.
 */
export function updateMeter(
  replicas: readonly Replica[],
  backend: Backend,
  { updatePairs = false }: RoundWishes = {},
): UpdateMeter | undefined {
  if (backend.prefersLargeKernels) return undefined;
  const [{ options }] = replicas;
  let meter: { readonly program: Program; readonly executable: Executable } | undefined;

  async function opened(held: Training) {
    const program = roundProgram(
      held,
      options,
      { ...sizesOfRound(replicas), measuresUpdates: updatePairs ? "pairs" : true },
      backend,
    );
    return { program, executable: await backend.compile(program, options) };
  }

  return {
    async measure(executable, held, inputs) {
      meter ??= await opened(held);
      hold(meter.executable, held);
      for (const input of meter.program.inputs.keys())
        if (!(input in inputs) && !(input in held.data))
          meter.executable.write(input, executable.read(input));
      return meter.executable.run(inputs, [...Object.values(UPDATES), UPDATE_PAIRS]);
    },
    close: async () => meter?.executable.close(),
  };
}
