import type { Backend } from "../../src/engine/backend.js";
import type { Federation } from "../../src/federation/federation.js";
import type { Replica } from "../../src/federation/replicas/replicas.js";
import { replicaData } from "../../src/federation/replicas/replicas-data.js";
import { startRounds } from "../../src/federation/rounds/rounds.js";
import type { RunOptions } from "../../src/federation/run-options.js";
import { initialState } from "../../src/federation/trainer-state.js";

/** A run from its start. */
export function replicaOf(problem: Federation, options: RunOptions): Replica {
  return { problem, options, start: initialState(problem, options) };
}

/** Rounds of a run alone, in the way that suits the backend. */
export function roundsOf(replica: Replica, backend: Backend) {
  return startRounds([replica], replicaData([replica.problem], backend), backend);
}
