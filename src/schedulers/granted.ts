import { availableParallelism } from "node:os";
import type { Environment } from "./scheduler.js";
import { ownGrant } from "./schedulers.js";

/** Cores that this process may use: those of the machine, or fewer where its job was given fewer. */
export function grantedCores(environment: Environment = process.env): number {
  const cores = ownGrant(environment)?.cores;
  return Math.max(1, Math.min(availableParallelism(), cores ?? Infinity));
}

/** Whether this process belongs to a job that was given no GPU, though the machine may have one. */
export function isWithoutGpu(environment: Environment = process.env): boolean {
  return ownGrant(environment)?.gpus === 0;
}
