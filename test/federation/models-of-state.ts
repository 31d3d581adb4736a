import { clientModels, modelVector } from "../../src/federation/rounds/client-models.js";
import type { ChosenStrategy } from "../../src/federation/strategies/strategies.js";
import { clientVector, type TrainerState } from "../../src/federation/trainer-state.js";
import type { ParameterLayout } from "../../src/models/parameter-layout.js";

/** The models that the clients of a state use; none where all have the server's. */
export function modelsOfState(
  state: TrainerState,
  options: ChosenStrategy,
  layout: ParameterLayout,
  clients: number,
): readonly Float32Array[] {
  const name = modelVector(options);
  if (name === undefined) return [];
  const own = (client: number) => clientVector(state, name, client);
  return Array.from({ length: clients }, (_, client) => client).map(
    clientModels(state.server.parameters, own, options, layout),
  );
}
