import { changeText } from "../../analysis/phrases.js";
import { atAlpha, pairedChange } from "../../analysis/seed-contrasts.js";
import { fixed } from "../../analysis/tables/table.js";
import { CONTROLLED_NAMES, PAPER_DATA, PUBLIC_NAMES, paperTitle, taskTitle } from "../titles.js";
import { paperDistances } from "../values.js";
import { type ClaimDefinition, namesOf, notMeasured, type Part, type PartitionRow } from "./claim.js";
import { alongAlpha, onData, perTask, SEVERE, sizePart, trendPart } from "./claim-parts.js";
import { repairedByClosest } from "./repaired-by-closest.js";
import { positive } from "./verdicts.js";

const SECTION = "sec:result-partition";

/** Claims on realised partitions, before any training. */
export const PARTITION_CLAIMS: readonly ClaimDefinition[] = claimsOn(CONTROLLED_NAMES, "");

/** The same claims on the public tasks, and one on the smallest of them. */
export const PUBLIC_PARTITION_CLAIMS: readonly ClaimDefinition[] = [
  ...claimsOn(PUBLIC_NAMES, "public-"),
  {
    name: "cylinder-floor",
    section: SECTION,
    text: "Cylinder flow, with 80 training samples, has a larger D_sol at α = 100 than the other public tasks",
    rule: "sign",
    judge: ({ partitions }) => {
      const at100 = (task: string) =>
        atAlpha(
          partitions.filter((row) => row.task === task),
          100,
          "d_sol",
        );
      const others = Object.keys(PAPER_DATA).filter((task) => task !== "cylinder");
      const paper = "0.48 against 0.17–0.19";
      const parts = others.flatMap((task): Part[] => {
        const [ours] = namesOf(partitions, task);
        const [cylinder] = namesOf(partitions, "cylinder");
        const more = ours && cylinder ? pairedChange(at100(ours), at100(cylinder)) : undefined;
        if (!more) return [];
        const verdict = positive(more);
        return [onData({ subject: `than ${taskTitle(ours)}`, paper, ours: changeText(more), verdict }, ours)];
      });
      return parts.length > 0 ? parts : [notMeasured(paperTitle("cylinder"), paper)];
    },
  },
];

function claimsOn(tasks: readonly string[], prefix: "" | "public-"): ClaimDefinition[] {
  return [
    {
      name: `${prefix}distance-rises`,
      section: SECTION,
      text: "A smaller α reliably produces a greater realised solution distance D_sol",
      rule: "trend",
      headline: prefix === "",
      judge: ({ partitions }) =>
        tasks.flatMap((task) =>
          perTask(partitions, task, distanceRange(task), (rows, name) =>
            trendPart(taskTitle(name), alongAlpha(rows, "d_sol"), distanceRange(task)),
          ),
        ),
    },
    {
      name: `${prefix}distance-size`,
      section: `${SECTION}, tab:alpha001-summary`,
      text: "Mean solution distance D_sol",
      rule: "size",
      judge: ({ partitions }) => tasks.flatMap((task) => distanceSizes(partitions, task)),
    },
    {
      name: `${prefix}sizes-rise`,
      section: SECTION,
      text: "The coefficient of variation of client sizes, CV_n, increases concurrently",
      rule: "trend",
      judge: ({ partitions }) =>
        tasks.flatMap((task) =>
          perTask(partitions, task, "increases", (rows, name) =>
            trendPart(taskTitle(name), alongAlpha(rows, "cv_n"), "increases"),
          ),
        ),
    },
    {
      name: `${prefix}realisation-error`,
      section: SECTION,
      text: "The allocation L_1 error increases at α = 0.01 (from α = 0.1)",
      rule: "sign",
      judge: ({ partitions }) =>
        tasks.flatMap((task) => perTask(partitions, task, "increases", realisationError)),
    },
  ];
}

function distanceSizes(partitions: readonly PartitionRow[], task: string): Part[] {
  return paperDistances(task).flatMap(({ alpha, low, high }) => {
    const text = rangeText(alpha, low, high);
    return perTask(partitions, task, text, (rows, name) =>
      markRepair(
        sizePart(`${taskTitle(name)}, α = ${alpha}`, atAlpha(rows, alpha, "d_sol"), { low, high, text }),
        rows.filter((row) => row.alpha === alpha),
      ),
    );
  });
}

function realisationError(rows: readonly PartitionRow[], name: string): Part | undefined {
  const change = pairedChange(atAlpha(rows, 0.1, "eps_part"), atAlpha(rows, 0.01, "eps_part"));
  if (!change) return undefined;
  return markRepair(
    { subject: taskTitle(name), paper: "increases", ours: changeText(change), verdict: positive(change) },
    rows,
  );
}

/** Concentrations at which clients get so small that repair shapes the partition. */
const REPAIRED: readonly number[] = [0.1, 0.01];

/** The part, marked where it fails on partitions that another rule of repair would have shaped otherwise. */
function markRepair(part: Part, rows: readonly PartitionRow[]): Part {
  const shaped = rows.filter(({ alpha }) => REPAIRED.includes(alpha));
  return part.verdict === "does not hold" && shaped.some(repairedByClosest)
    ? { ...part, byRepair: true }
    : part;
}

/** The paper's D_sol at the ends of its grid. */
function distanceRange(task: string): string {
  const stated = paperDistances(task);
  const at = (alpha: number) => {
    const found = stated.find((entry) => entry.alpha === alpha);
    return found ? rangeText(alpha, found.low, found.high) : "?";
  };
  return `${at(100)} to ${at(0.01)}`;
}

/** With the paper's digits: its table, of the severest concentration, has three, its words have two. */
function rangeText(alpha: number, low: number, high: number): string {
  if (low === high) return fixed(low, alpha === SEVERE ? 3 : 2);
  return `${fixed(low, 2)}–${fixed(high, 2)}`;
}
