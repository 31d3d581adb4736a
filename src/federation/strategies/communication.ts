import type { ParameterLayout } from "../../models/parameter-layout.js";
import { participantCount } from "../participation/participants.js";
import { averagedVectors } from "../rounds/aggregation.js";
import type { ProgramOptions } from "../rounds/program-inputs.js";
import type { RunOptions } from "../run-options.js";
import { trainedCount } from "../trained-clients.js";
import { strategyOf } from "./strategies.js";

/** A number in float32. */
const BYTES = 4;

/**
 * Bytes that all participants of a round receive and send: shared parameters, vectors of the strategy, and optimiser states
 * that are averaged. A client that leaves sends nothing; this is not taken off.
 */
export function communication(
  layout: ParameterLayout,
  options: ProgramOptions & Pick<RunOptions, "clients">,
): { readonly down: number; readonly up: number } {
  const { isLocal, traffic = { down: 1, up: 1 } } = strategyOf(options);
  const shared = layout.reduce((sum, { name, size }) => sum + (isLocal?.(name) ? 0 : size), 0);
  const participants = participantCount(trainedCount(options.clients, options), options);
  const averaged = averagedVectors(options).length;
  const bytes = (vectors: number) =>
    vectors === 0 ? 0 : BYTES * participants * shared * (vectors + averaged);
  return { down: bytes(traffic.down), up: bytes(traffic.up) };
}
