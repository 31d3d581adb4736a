import { escapeMarkdown, markdownTable } from "../../analysis/tables/table-formats.js";
import type { Claim } from "./claim.js";
import { type ClaimGroup, measured, tally } from "./claims.js";
import { claimsTable, ruleSentences } from "./claims-table.js";
import { tallyWords } from "./tally-words.js";

/** Intervals at 95 % miss what they estimate once in twenty times. */
const CHANCE =
  "Every interval misses what it estimates in one case of twenty, so that a few verdicts are a matter of chance; " +
  '"undecided" is no evidence that there is no effect.';

export interface ClaimsPageOptions {
  /** What is to be said of the counts, beside chance. */
  readonly about?: string;
  /** Command lines that make the page again. */
  readonly commands: readonly string[];
  /** What stands below a group's table, by the group's title. */
  readonly notes?: Readonly<Record<string, string>>;
}

/** All claims as a Markdown page: one table for each group, what was not measured, and the rules. */
export function claimsPage(groups: readonly ClaimGroup[], options: ClaimsPageOptions): string {
  const { about, commands, notes = {} } = options;
  const found = measured(groups);
  const absent = unmeasured(groups);
  return [
    "# The paper's claims, one by one",
    "",
    `${tallyWords(tally(groups))} ${CHANCE}${about ? ` ${about}` : ""}`,
    "",
    "Claims are the paper's own, shortened. Numbers of ours are means over seeds with 95 % intervals; each claim is judged by",
    "one of the [rules](#rules) below. Tasks marked (simulated) stand beside the paper's values on published data and are",
    "counted apart. Where a claim can be read in two ways the second reading is shown below the first and not counted.",
    "",
    ...found.flatMap((group) => {
      const note = notes[group.title];
      return [`## ${group.title}`, "", markdownTable(claimsTable([group])), ...(note ? [note, ""] : [])];
    }),
    ...(absent.length > 0
      ? [
          "## Not measured",
          "",
          "These need runs of the paper's length that these records do not have, or not with all that was measured:",
          "",
          ...absent.map(({ text, parts }) => {
            const stated = parts.map(({ subject, paper }) => `${subject}: ${paper}`);
            return `- ${escapeMarkdown(text)} (${stated.map(escapeMarkdown).join("; ")}).`;
          }),
          "",
        ]
      : []),
    "## Rules",
    "",
    ...ruleSentences(found).map((sentence) => `- ${sentence.replace(/^([\w ]+):/, "**$1**:")}`),
    "",
    "## How to make it again",
    "",
    "```",
    ...commands,
    "```",
    "",
  ].join("\n");
}

/** Claims with those of their parts that were not measured, if there are any. */
function unmeasured(groups: readonly ClaimGroup[]): Claim[] {
  return groups
    .flatMap(({ claims }) => claims)
    .map((claim) => ({ ...claim, parts: claim.parts.filter(({ verdict }) => verdict === "not measured") }))
    .filter(({ parts }) => parts.length > 0);
}

/** The claims that stand for all, one row each, for the front page. */
export function claimsBlock(groups: readonly ClaimGroup[]): string {
  const rows = measured(groups)
    .flatMap(({ claims }) => claims)
    .filter(({ headline }) => headline)
    .map(({ text, parts }) => {
      // What is the same for all parts is said once; lines must not break, so that those of a row stay level.
      const lines = (of: (part: (typeof parts)[number]) => string) => {
        const texts = parts.map((part) => escapeMarkdown(of(part)).replaceAll(" ", "&nbsp;"));
        return (new Set(texts).size === 1 ? texts.slice(0, 1) : texts).join("<br>");
      };
      return [
        escapeMarkdown(text),
        lines(({ subject, variant }) => (variant === undefined ? subject : `… ${variant}`)),
        lines(({ paper }) => paper),
        lines(({ ours, brief = ours }) => brief),
        lines(({ verdict, byRepair }) => (byRepair ? `${verdict} (repair)` : verdict)).replaceAll(
          "does&nbsp;not&nbsp;hold",
          "**does&nbsp;not&nbsp;hold**",
        ),
      ];
    });
  return [
    "| The paper's claim | For | Paper | Here, with 95 % interval | Verdict |",
    "|---|---|---|---|---|",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");
}

/** How many claims hold, in words. */
export function claimsTally(groups: readonly ClaimGroup[]): string {
  return tallyWords(tally(groups));
}
