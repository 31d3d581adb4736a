import type { Backend } from "../../src/engine/backend.js";
import type { FederatedProblem } from "../../src/federation/federated-problem.js";
import type { Replica } from "../../src/federation/replicas.js";
import { replicaData } from "../../src/federation/replicas-data.js";
import { startRounds } from "../../src/federation/rounds.js";
import type { RunOptions } from "../../src/federation/run-options.js";
import { initialState } from "../../src/federation/trainer-state.js";

/** A run from its start. */
export function replicaOf(problem: FederatedProblem, options: RunOptions): Replica {
  return { problem, options, start: initialState(problem, options) };
}

/** Rounds of a run alone, in the way that suits the backend. */
export function roundsOf(replica: Replica, backend: Backend) {
  return startRounds([replica], replicaData([replica.problem], backend), backend);
}
