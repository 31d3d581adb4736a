import type { SeedRecord } from "../../records/seed-record.js";
import { inSetting, mainTasks, settingOf } from "../settings.js";
import { PAPER_DATA, paperTask } from "../titles.js";
import { PAPER_ROUNDS } from "../values.js";

/** What records say of a claim. */
export type Verdict = "holds" | "does not hold" | "undecided" | "too wide to tell" | "not measured";

/** The rules by which claims are judged; `verdicts.ts` has them as functions. */
export const RULES = {
  sign: "the 95 % Student-t interval over seeds, paired by seed, lies above zero: holds; below: does not hold; else undecided",
  zero: "the paper's interval includes zero, and so does ours: holds; else does not hold",
  size:
    "the 95 % interval of the difference from the paper's mean includes zero: holds; else does not hold. Its mean is taken " +
    "to vary as its own interval says (Welch), or as ours does where it states none (our interval, widened by √2 for five " +
    "seeds)",
  trend:
    "the mean rises at every step and the interval of the whole change lies above zero: holds; the whole change or a step " +
    "has an interval below zero: does not hold; else undecided",
  strength:
    "our 95 % interval of a correlation includes the paper's: holds; the interval of their difference on Fisher's scale, " +
    "where the paper's is taken to vary as ours does, excludes zero: does not hold; else undecided",
  correlation:
    "the 95 % interval lies above zero: holds; below: does not hold; else undecided. It is a jackknife over seeds on " +
    "Fisher's scale around the correlation of all runs, since runs of a seed are no independent observations",
  contrast:
    "the difference of two correlations over the same runs on Fisher's scale, by the same jackknife, lies above zero: " +
    "holds; below: does not hold; else undecided",
  alike: "the interval of such a difference includes zero: holds; else does not hold",
  least: "the 95 % interval lies above the number that is named: holds; below: does not hold; else undecided",
  spread:
    "of two standard deviations over the same seeds the first is larger by Pitman and Morgan's test at 95 %: holds; " +
    "smaller: does not hold; else undecided",
  resolved:
    "of two changes, the interval of the first lies above zero and that of the second does not: holds; the reverse: does " +
    "not hold; else undecided",
  count: "what is counted or compared directly is as the paper says: holds; else does not hold",
} as const;

export type Rule = keyof typeof RULES;

/** Rules under which a claim holds unless records contradict it, so that wide intervals speak for it. */
export const LENIENT: readonly Rule[] = ["zero", "size", "strength", "alike"];

/** When a verdict of any rule is "too wide to tell". */
export const TOO_WIDE =
  "too wide to tell: where the paper states a number, our 95 % interval covers that number and its opposite, so that it " +
  "would contradict neither. The opposite of two correlations being alike is that one of them is none";

/** A claim as far as it is about one task or setting. */
export interface Part {
  readonly subject: string;
  /** The paper's number, or its words. */
  readonly paper: string;
  /** Ours with its interval. */
  readonly ours: string;
  /** The same in few words, where `ours` is long. */
  readonly brief?: string;
  readonly verdict: Verdict;
  /** In which way this is another reading of the claim, shown below the first and not counted. */
  readonly variant?: string;
  /** Whether data that are simulated here stand for the published ones that the paper took. */
  readonly simulated?: boolean;
  /** Whether it fails on partitions that `repairedByClosest`, where another rule of repair may not. */
  readonly byRepair?: boolean;
}

/** A claim of the paper with what records say of it. */
export interface Claim {
  readonly name: string;
  /** Where the paper makes it: its label. */
  readonly section: string;
  /** In the paper's words, shortened; in the notation of `notation.ts`. */
  readonly text: string;
  readonly rule: Rule;
  /** Whether it is among the few that stand for all. */
  readonly headline: boolean;
  readonly parts: readonly Part[];
}

/** How many parts have each verdict. */
export type Counts = Readonly<Record<Verdict, number>>;

/** How many parts have each verdict; other readings of a claim are not counted, and simulated tasks apart. */
export interface Tally extends Counts {
  /** How many of those that hold do so because nothing contradicts them. */
  readonly leniently: number;
  /** Parts on simulated data, which can neither confirm nor refute what the paper found on published ones. */
  readonly simulated: Counts;
  /** How many of all that do not hold hang on the rule of repair. */
  readonly byRepair: number;
}

/** A claim and how evidence decides it. */
export interface ClaimDefinition extends Omit<Claim, "parts" | "headline"> {
  readonly headline?: boolean;
  readonly judge: (evidence: Evidence) => readonly Part[];
}

/** What a partition measured, with or without training on it. */
export type PartitionRow = Pick<SeedRecord, "task" | "alpha" | "seed" | "d_sol" | "cv_n" | "eps_part"> & {
  /** Samples of the smallest client; not known, or NaN, in tables of earlier versions. */
  readonly n_min?: number;
  /** The rule of repair, where it is known. */
  readonly repair?: string;
};

/** What claims are judged by. */
export interface Evidence {
  /** Every checkpoint of runs that have the paper's length. */
  readonly runs: readonly SeedRecord[];
  /** Their last checkpoints. */
  readonly final: readonly SeedRecord[];
  readonly partitions: readonly PartitionRow[];
}

/**
 * Evidence from seed-level records as `distinctRecords` returns them; shorter runs than the paper's do not count. Further
 * partitions speak for tasks that no run was trained on.
 */
export function evidenceOf(
  records: readonly SeedRecord[],
  partitions: readonly PartitionRow[] = [],
): Evidence {
  const final = records.filter(({ round }) => round === PAPER_ROUNDS);
  const long = new Set(final.map(({ run_id }) => run_id));
  const trained = mainTasks(final);
  return {
    runs: records.filter(({ run_id }) => long.has(run_id)),
    final,
    partitions: [
      ...trained
        .flatMap((task) => inSetting(final, settingOf(task)))
        // A row that states its rule itself, as our pages of results have them, is right.
        .map((row) => ({ repair: row.settings.repair as string | undefined, ...row })),
      ...partitions.filter(({ task }) => !trained.includes(task)),
    ],
  };
}

/** The names under which rows have one of the paper's tasks: simulated, imported, or both. */
export function namesOf(rows: readonly { readonly task: string }[], task: string): string[] {
  return [...new Set(rows.map((row) => row.task))].filter((name) => paperTask(name) === task).sort();
}

/** Whether the name is that of data simulated here, where the paper took published ones. */
export const isSimulated = (name: string): boolean => name in PAPER_DATA;

/** A part that there is nothing for. */
export function notMeasured(subject: string, paper: string): Part {
  return { subject, paper, ours: "–", verdict: "not measured" };
}
