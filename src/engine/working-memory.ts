import { elements } from "../numerics/shape.js";
import type { Demand } from "./backend.js";
import type { Program } from "./program.js";
import { simplify } from "./simplify.js";

/** What a program needs, at most. */
export function demandOf(program: Program): Demand {
  return { working: workingNumbers(program), largest: largestTensor(program) };
}

/**
 * Numbers that a program holds at once, at most, besides inputs and constants: a tensor is kept from where it is made
 * to where it is used last, and a reshape takes no memory. A backend that fuses operations needs less.
 */
export function workingNumbers(given: Program): number {
  const program = simplify(given);
  const live = program.liveTensors();
  /** The tensor whose memory another one has. */
  const owner = new Map<number, number>();
  const lastUse = new Map<number, number>();
  for (const { id } of live) {
    const node = program.nodes[id];
    const shared = node.kind === "operation" && node.operation === "reshape";
    owner.set(id, shared ? owner.get(node.operands[0].id)! : id);
    if (node.kind === "operation")
      for (const operand of node.operands) lastUse.set(owner.get(operand.id)!, id);
  }
  for (const { id } of program.outputs.values()) lastUse.set(owner.get(id)!, program.nodes.length);

  const ending = new Map<number, number>();
  let held = 0;
  let most = 0;
  for (const { id, shape } of live) {
    if (program.nodes[id].kind === "operation" && owner.get(id) === id) {
      const size = elements(shape);
      const end = lastUse.get(id)!;
      held += size;
      ending.set(end, (ending.get(end) ?? 0) + size);
    }
    most = Math.max(most, held);
    held -= ending.get(id) ?? 0;
  }
  return most;
}

/** Numbers in the largest tensor of a program, inputs included. */
export function largestTensor(program: Program): number {
  return program.liveTensors().reduce((most, { shape }) => Math.max(most, elements(shape)), 0);
}
