import { DataError } from "../../errors.js";
import { type ParameterLayout, parameterCount } from "../../models/parameter-layout.js";
import { availableMemory } from "../available-memory.js";
import { type ParticipationOptions, participantCount } from "../participation/participants.js";
import type { RunOptions } from "../run-options.js";
import { trainedCount } from "../trained-clients.js";
import { clientVectors, serverVectors } from "./client-vectors.js";

const BYTES = 4;

/**
 * Refuses clients whose vectors would outgrow the memory. Each keeps its own from the first round in which it takes part,
 * and those of a round are there twice, before and after it.
 *
 * @param available bytes that the process may still take
 */
export function checkClientsFit(
  clients: number,
  { numbers, vectors }: { readonly numbers: number; readonly vectors: number },
  options: Pick<ParticipationOptions, "participation"> & Pick<RunOptions, "rounds">,
  available: number = availableMemory(),
): void {
  const participants = participantCount(clients, options);
  const kept = keptClients(clients, options);
  const bytes = BYTES * numbers * vectors * (kept + participants);
  if (bytes <= available) return;
  const gigabytes = (some: number) => (some / 1e9).toPrecision(3);
  throw new DataError(
    `${kept} clients keep ${vectors} vectors of ${numbers.toLocaleString("en")} parameters each, and rounds of ${participants} ` +
      `add theirs: ${gigabytes(bytes)} GB, but ${gigabytes(available)} GB of memory are free: take fewer clients or rounds, a ` +
      "smaller participation, client_state reset, or a smaller model",
  );
}

/** Clients that take part in some round, at most. */
function keptClients(
  clients: number,
  options: Pick<ParticipationOptions, "participation"> & Pick<RunOptions, "rounds">,
): number {
  return Math.min(clients, participantCount(clients, options) * options.rounds);
}

/** Bytes of the largest state that a run may have to save, with its parameters at all checkpoints. */
export function stateBytes(layout: ParameterLayout, givenClients: number, options: RunOptions): number {
  const clients = trainedCount(givenClients, options);
  const ofClients = clientVectors(options).length * keptClients(clients, options);
  const vectors = 1 + serverVectors(options).length + ofClients + options.checkpoints.length;
  return BYTES * parameterCount(layout) * vectors;
}
