import { createHash } from "node:crypto";
import type { Program } from "../program.js";
import { type Call, callsOf } from "./calls.js";
import { type PlanOptions, planOf } from "./compile-plan.js";
import type { Device } from "./device/device.js";
import type { Plan } from "./plan/plan.js";

/** What a program is on a device, wherever its memory is. */
export interface KnownProgram {
  readonly plan: Plan;
  /** The calls of the plan, with their kernels, which are compiled when first asked for. */
  calls(): Promise<readonly Call[]>;
}

/** Programs that are remembered: those of runs side by side are five, and runs that are divided unevenly have two sizes. */
const MOST = 16;

/** Plans and compiles programs; of those lately seen it remembers what they became, since runs of a study are alike. */
export function knownPrograms(device: Device, options: PlanOptions): (program: Program) => KnownProgram {
  const known = new Map<string, KnownProgram>();
  return (program) => {
    const key = fingerprint(program);
    const found = known.get(key) ?? made(planOf(program, options), device);
    known.delete(key);
    known.set(key, found);
    if (known.size > MOST) known.delete(known.keys().next().value!);
    return found;
  };
}

function made(plan: Plan, device: Device): KnownProgram {
  let calls: Promise<readonly Call[]> | undefined;
  return {
    plan,
    calls() {
      calls ??= callsOf(plan, device).catch((error: unknown) => {
        calls = undefined;
        throw error;
      });
      return calls;
    },
  };
}

/** Equal for programs that compute the same in the same way, constants included. */
export function fingerprint(program: Program): string {
  const hash = createHash("sha256");
  const tell = (...what: readonly unknown[]) => hash.update(`${JSON.stringify(what)}\n`);
  program.nodes.forEach((node, id) => {
    const { shape, dtype } = program.tensor(id);
    switch (node.kind) {
      case "input":
        tell(node.name, shape, dtype);
        return;
      case "constant": {
        const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT } = node.values;
        tell(dtype, BYTES_PER_ELEMENT, shape);
        hash.update(new Uint8Array(buffer, byteOffset, byteLength));
        return;
      }
      case "operation": {
        const operands = node.operands.map((operand) => operand.id);
        tell(node.operation, operands, node.attributes);
      }
    }
  });
  tell([...program.outputs].map(([name, { id }]) => [name, id]));
  tell([...program.carried]);
  return hash.digest("hex");
}
