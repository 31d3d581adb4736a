import { type Cell, type Table, textCell } from "../../analysis/tables/table.js";
import { placeOf } from "../places.js";
import { type Claim, RULES, type Rule, TOO_WIDE } from "./claim.js";
import type { ClaimGroup } from "./claims.js";

/** A table of claims: claim, paper's number, ours with its interval, verdict. */
export function claimsTable(groups: readonly ClaimGroup[], name = "claims", title = "Claims"): Table {
  return {
    name,
    title,
    caption:
      "The paper's claims, shortened, beside what seed-level records say: means over seeds with 95 % intervals, judged by " +
      "the rule that is named. pp are percentage points.",
    columns: [
      { heading: "Claim", csv: ["claim"], align: "left" },
      { heading: "In the paper", csv: ["section"], align: "left" },
      { heading: "For", csv: ["subject"], align: "left" },
      { heading: "Paper", csv: ["paper"], align: "left" },
      { heading: "Here", csv: ["here"], align: "left" },
      { heading: "Verdict", csv: ["verdict"], align: "left" },
      { heading: "Rule", csv: ["rule"], align: "left" },
    ],
    groups: groups.flatMap(({ claims }) => claims.map(rows)),
  };
}

function rows({ text, section, rule, parts }: Claim): Cell[][] {
  return parts.map(({ subject, paper, ours, verdict, byRepair }, i) => {
    // A claim is named in its first row; the others belong to it.
    const once = (words: string): Cell => ({ text: i === 0 ? words : "", values: [words] });
    return [
      once(text),
      once(placeOf(section)),
      textCell(subject),
      textCell(paper),
      textCell(ours),
      { ...textCell(byRepair ? `${verdict} (repair)` : verdict), strong: verdict === "does not hold" },
      once(rule),
    ];
  });
}

/** The rules that stand behind claims, one sentence each, and what is too wide for any of them. */
export function ruleSentences(groups: readonly ClaimGroup[]): string[] {
  const all = groups.flatMap(({ claims }) => claims);
  const used = new Set(all.map(({ rule }) => rule));
  const isWide = all.some(({ parts }) => parts.some(({ verdict }) => verdict === "too wide to tell"));
  return [
    ...(Object.keys(RULES) as Rule[])
      .filter((rule) => used.has(rule))
      .map((rule) => `${rule}: ${RULES[rule]}.`),
    ...(isWide ? [`${TOO_WIDE}.`] : []),
  ];
}
