/**
 * Times of checkpoints, in milliseconds. Journals hold no times, so that equal runs have equal journals: checkpoints lie
 * evenly by rounds between the start and the time of the last one.
 */
export function pointTimes(
  lines: readonly { readonly round: number }[],
  started: number,
  last: number,
): number[] {
  const end = Math.max(started, last);
  const rounds = lines.at(-1)?.round ?? 0;
  return lines.map(({ round }) =>
    Math.round(rounds === 0 ? end : started + (round / rounds) * (end - started)),
  );
}
