/** After how many rounds something is measured again, so that it takes at most a share of the time. */
export interface Cadence {
  /** Whether it is due after this round. */
  isDue(round: number): boolean;
  /** That it was done after a round and took so long. */
  done(round: number, milliseconds: number): void;
  /** How long a round took without it. */
  trained(milliseconds: number): void;
}

/** Weight of the last time in an average of times. */
const RECENT = 0.2;

/** @param share of the time of rounds that measuring may take */
export function cadence(share: number): Cadence {
  let [cost, round] = [0, 0];
  let next = 0;
  const averaged = (before: number, now: number) =>
    before === 0 ? now : (1 - RECENT) * before + RECENT * now;
  return {
    isDue: (at) => at >= next,
    done(at, milliseconds) {
      cost = averaged(cost, milliseconds);
      next = at + (round === 0 ? 2 : Math.max(1, Math.ceil(cost / (share * round))));
    },
    trained(milliseconds) {
      round = averaged(round, milliseconds);
    },
  };
}
