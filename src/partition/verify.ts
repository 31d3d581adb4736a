import { DataError } from "../errors.js";
import { type Assignment, indicesOfClients } from "./assignment.js";

/**
 * Checks the promise of alg:pde-dirichlet on the result itself: every sample belongs to exactly one client, and
 * no client is below the minimum size.
 */
export function verifyExactCover(
  assignment: Assignment,
  minimum: number,
  {
    partial = false,
    names,
  }: {
    /** Whether samples may be without a client, as in some splits of other tools. */
    readonly partial?: boolean;
    readonly names?: readonly string[];
  } = {},
): void {
  const samples = assignment.clientOfSample.length;
  if (assignment.binOfSample.length !== samples) {
    throw new DataError(`${samples} samples have a client but ${assignment.binOfSample.length} have a bin`);
  }
  const owner = new Int32Array(samples).fill(-1);
  indicesOfClients(assignment).forEach((indices, client) => {
    if (indices.length < minimum) {
      throw new DataError(
        `client ${names?.[client] ?? client} holds ${indices.length} samples, below the minimum of ${minimum}`,
      );
    }
    for (const sample of indices) {
      if (owner[sample] !== -1)
        throw new DataError(`sample ${sample} belongs to clients ${owner[sample]} and ${client}`);
      owner[sample] = client;
    }
  });
  if (partial) return;
  const orphan = owner.indexOf(-1);
  if (orphan !== -1) throw new DataError(`sample ${orphan} belongs to no client`);
}
