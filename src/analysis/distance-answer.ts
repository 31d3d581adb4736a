import type { SeedRecord } from "../records/seed-record.js";
import type { Answer } from "./answer.js";
import { type Case, caseNoun } from "./cases.js";
import { correlationContrast } from "./correlation-intervals.js";
import { referenceWords, type SeedSummary, sideOfZero, withoutReference } from "./observations.js";
import { estimateText, list } from "./phrases.js";
import type { Published, Relation } from "./published.js";
import type { Subject } from "./subject.js";
import { distancePair, RELATIONS } from "./tables/correlation-tables.js";
import { fixed } from "./tables/table.js";

const NAMES = Object.keys(RELATIONS) as Relation[];
const WORDS: Readonly<Record<Relation, string>> = {
  h_g_norm: "gradient dissimilarity",
  d_theta: "parameter divergence",
  excess_error: "excess error",
};

/** Which distance goes better with what training does? */
export function distanceAnswer({ records, cases, published }: Subject): Answer {
  const noun = caseNoun(cases);
  const compared = cases.map((one) => ({ one, pairs: NAMES.flatMap((y) => comparison(one.final, y)) }));
  const told = compared.filter(({ pairs }) => pairs.length > 0);
  const wins = NAMES.flatMap((relation) => {
    const having = told.flatMap(({ pairs }) => pairs.filter((pair) => pair.relation === relation));
    return having.length > 0 ? [`with ${WORDS[relation]} ${winWords(having, noun)}`] : [];
  });
  const apart = cases.flatMap(({ final }) => comparison(withoutReference(final), "d_theta"));
  return {
    short:
      wins.length === 0
        ? `The records do not tell: no ${noun} has five runs whose distances differ.`
        : `Pearson's correlation is larger for D_sol than for input W_1 ${list(wins)}. ` +
          (apart.length > 0
            ? `Without ${referenceWords(records)}, where parameters have no divergence by definition, it is so with ` +
              `parameter divergence ${winWords(apart, noun)}. `
            : "") +
          (told.some(({ pairs }) => pairs.some(hasInterval))
            ? "The 95 % interval of the difference leaves out one seed at a time."
            : "Seeds are too few to say how sure that is."),
    sentences: told.map(({ one, pairs }) => caseWords(one, pairs, published)),
    missing: compared.flatMap(({ one: { title, final }, pairs }) => {
      const absent = NAMES.filter((name) => pairs.every(({ relation }) => relation !== name));
      const [unknown, few] = [true, false].map((isUnknown) =>
        absent.filter((name) => final.every((run) => Number.isNaN(run[name])) === isUnknown),
      );
      return [
        ...(unknown.length > 0 ? [`The records of ${title} have no ${words(unknown)}.`] : []),
        ...(few.length > 0
          ? [`${title} has too few runs that differ for correlations with ${words(few)}.`]
          : []),
      ];
    }),
  };
}

const words = (relations: readonly Relation[]): string => list(relations.map((name) => WORDS[name]));

interface Comparison {
  readonly relation: Relation;
  readonly solution: number;
  readonly input: number;
  /** Of both on Fisher's scale. */
  readonly difference: SeedSummary | undefined;
}

function comparison(runs: readonly SeedRecord[], relation: Relation): Comparison[] {
  const { solution, input } = distancePair(runs, relation);
  if (!solution || !input) return [];
  const [one, other] = (["d_sol", "input_w1"] as const).map(
    (x) => ({ kind: "pearson", x, y: relation }) as const,
  );
  const difference = correlationContrast(runs, one, other);
  return [{ relation, solution: solution.value, input: input.value, difference }];
}

/** "in 2 of 3 cases (95 % interval above zero in 1)"; without intervals where seeds are too few for them. */
function winWords(having: readonly Comparison[], noun: string): string {
  const won = having.filter(({ solution, input }) => solution > input).length;
  const share = `in ${won} of ${having.length} ${noun}s`;
  if (!having.some(hasInterval)) return share;
  const sides = having.map(({ difference }) => sideOfZero(difference));
  const [larger, smaller] = (["above", "below"] as const).map(
    (side) => sides.filter((one) => one === side).length,
  );
  const reverse = smaller > 0 ? `, below zero in ${smaller}` : "";
  return `${share} (95 % interval above zero in ${larger === 0 ? "none" : larger}${reverse})`;
}

const hasInterval = ({ difference }: Comparison): boolean => sideOfZero(difference) !== undefined;

function caseWords(one: Case, pairs: readonly Comparison[], published: Published | undefined): string {
  const parts = pairs.map(({ relation, solution, input, difference }) => {
    const pair = one.isPublished ? published?.pearson(one, relation) : undefined;
    const stated = pair
      ? ` (${published!.source} ${fixed(pair.solution, 2)} and ${fixed(pair.input, 2)})`
      : "";
    const apart = difference ? `, Δz = ${estimateText(difference, 2)}` : "";
    return `${fixed(solution, 2)} and ${fixed(input, 2)}${stated} with ${WORDS[relation]}${apart}`;
  });
  return `${one.title}: D_sol and input W_1 have ${parts.join("; ")}.`;
}
