import type { OutputValues } from "../../engine/backend.js";
import type { Participant } from "../participation/participant.js";
import { UPDATE_PAIRS, UPDATES } from "./round-program.js";

/** How far a client moved in a round. */
export interface ClientUpdate {
  readonly client: number;
  /** Norm of the client's update, the difference between its parameters after and before the round. */
  readonly size: number;
  /** Cosine of the angle between it and the mean of the participants' updates. */
  readonly cosine: number;
  /** Inner products of the update with those of all participants, in their order, where they were wanted. */
  readonly products?: Float64Array;
  /** The client's weight in the mean, where they were wanted. */
  readonly share?: number;
}

/** Updates of the participants of each replica, from the outputs `UPDATES` of a program. */
export function clientUpdates(
  found: Readonly<Record<string, OutputValues>>,
  present: readonly (readonly Participant[])[],
): ClientUpdate[][] {
  let [at, row] = [0, 0];
  const pairs = found[UPDATE_PAIRS];
  return present.map((own, replica) => {
    const mean = found[UPDATES.mean][replica];
    return own.map(({ client, share }) => {
      const square = found[UPDATES.squares][at];
      const product = found[UPDATES.products][at++];
      const update = { client, size: Math.sqrt(square), cosine: product / Math.sqrt(square * mean) };
      if (!pairs) return update;
      const end = row + own.length;
      const products = Float64Array.from(pairs.subarray(row, end));
      row = end;
      return { ...update, products, share };
    });
  });
}
