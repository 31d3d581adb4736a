import type { Executable } from "../engine/backend.js";
import type { Program, Tensor } from "../engine/program.js";
import type { Training } from "../models/trainable-model.js";

/** The arrays of training data as inputs of a program. */
export function heldInputs(program: Program, { data }: Training): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(data).map(([name, { shape }]) => [name, program.input(name, shape)]),
  );
}

/** Calls `write` where a program is to hold something else than before. */
export function unlessHeld<T>(write: (held: T) => void): (held: T) => void {
  let last: T | undefined;
  return (held) => {
    if (held !== last) write(held);
    last = held;
  };
}

/** Training data stay in a program's inputs: it neither holds nor copies them, and several programs can share them. */
export function hold(executable: Executable, { data }: Training): void {
  for (const [name, { values }] of Object.entries(data)) executable.write(name, values);
}
