/** A client's part in a round. */
export interface Participant {
  readonly client: number;
  /** Optimiser steps that it took in earlier rounds. */
  readonly before: number;
  /** Optimiser steps that it takes in this one. */
  readonly steps: number;
  /** Its weight among the participants, which sum to 1; 0 if it leaves before its update arrives. */
  readonly share: number;
  /** Its weight among all clients; 0 if it leaves. */
  readonly weight: number;
}
