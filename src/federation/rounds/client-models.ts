import { type ParameterLayout, separateWeights } from "../../models/parameter-layout.js";
import { type ChosenStrategy, strategyOf } from "../strategies/strategies.js";
import { OWN, PERSONAL } from "./client-vectors.js";

/** Where a client starts a round: the server's parameters, with its own where parameters stay with it. */
export function clientStarts(
  options: ChosenStrategy,
  blocks: ParameterLayout,
): (server: Float32Array, own: Float32Array | undefined) => Float32Array {
  const { isLocal } = strategyOf(options);
  const local = isLocal ? separateWeights(blocks).filter(({ name }) => isLocal(name)) : [];
  return (server, own) => {
    if (!own) return server;
    const mixed = server.slice();
    for (const { start, size } of local) mixed.set(own.subarray(start, start + size), start);
    return mixed;
  };
}

/** The vector of clients that holds their models, where each has its own; undefined where all have the server's. */
export function modelVector(options: ChosenStrategy): string | undefined {
  const { isLocal, personal } = strategyOf(options);
  return personal ? PERSONAL : isLocal ? OWN : undefined;
}

/** The models that clients use, from the server's parameters and that vector of each. */
export function clientModels(
  server: Float32Array,
  own: (client: number) => Float32Array,
  options: ChosenStrategy,
  blocks: ParameterLayout,
): (client: number) => Float32Array {
  const startOf = clientStarts(options, blocks);
  const isWhole = modelVector(options) === PERSONAL;
  return (client) => (isWhole ? own(client).slice() : startOf(server, own(client)));
}
