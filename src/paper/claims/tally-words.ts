import type { Tally } from "./claim.js";

/**
 * "71 of 98 claims hold, 12 do not hold, 10 are undecided and 5 are too wide to tell." A claim counts once for each task
 * or setting; simulated data apart.
 */
export function tallyWords({ leniently, simulated, byRepair, ...counts }: Tally): string {
  const all = sumOf(simulated);
  const absent = counts["not measured"];
  return [
    `Counted by task or setting, ${counts.holds} of ${sumOf(counts)} claims hold, ${restWords(counts)}` +
      `${absent > 0 ? `; ${absent} were not measured` : ""}.`,
    ...(leniently > 0
      ? [
          `Of those that hold, ${leniently} say that a number is the paper's or zero, and hold as nothing contradicts them.`,
        ]
      : []),
    ...(all > 0
      ? [
          `Apart from these, ${all} are on public tasks, which are simulated here: ${simulated.holds} hold, ` +
            `${restWords(simulated)}. They can neither confirm nor refute the paper, which took published data.`,
        ]
      : []),
    ...(byRepair > 0
      ? [
          `Of all that do not hold, ${byRepair} hang on the rule by which too small clients were repaired, \`closest\`: it is ` +
            'ours, since the paper names none (Algorithm 1). They are marked "(repair)".',
        ]
      : []),
  ].join(" ");
}

type Counts = Tally["simulated"];

const sumOf = (counts: Counts): number =>
  counts.holds + counts["does not hold"] + counts.undecided + counts["too wide to tell"];

function restWords(counts: Counts): string {
  return (
    `${counts["does not hold"]} do not hold, ${counts.undecided} are undecided and ` +
    `${counts["too wide to tell"]} are too wide to tell`
  );
}
