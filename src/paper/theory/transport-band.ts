import { counted, grouped, measured, measuredCell } from "../../analysis/numbers.js";
import { fixed, type Table, textCell } from "../../analysis/tables/table.js";
import type { TransportCheck, TransportEvidence } from "./evidence/transport-evidence.js";
import { BEYOND, type Finding, type Prediction, verdictOf } from "./prediction.js";

/** The rule on partitions that say nothing about ratios. */
export const LEFT_OUT = "Partitions whose clients all have the same profile, H_q = 0, are left out.";

/** What every transport of every partition says about the second prediction (app:transport). */
export function transportPrediction(evidence: TransportEvidence): Prediction {
  const { bins, cMin, cMax, partitions } = evidence;
  return {
    name: "transport-band",
    title: "Transport and norm",
    claim:
      "The solution distance is a fair measure of how unequal clients are. Moving a unit of mass costs at least the " +
      "distance of the two closest bins, c_min, and at most that of the two farthest, c_max. So the transport distance " +
      "W_C and total variation, and likewise H_W and H_q, grow together, within factors that the bins alone decide.",
    labels: ["eq:app-tv", "eq:app-HW-Hq"],
    rules: [
      "An inequality holds if no pair or partition breaks it by more than 10⁻¹² of the numbers in it. Transport is " +
        "solved exactly, on whole numbers of samples.",
      "With c_min = 0, two bins in one place, the lower bounds say nothing and do not apply.",
      LEFT_OUT,
    ],
    findings: [...pairFindings(evidence), ...heterogeneityFindings(evidence)],
    tables: [bandTable(partitions)],
    caption:
      "a, Transport distance against total variation, of a few pairs of every partition, between the lines " +
      `c_min TV and c_max TV; c_min = ${fixed(cMin)}, c_max = ${fixed(cMax)}. b, H_W against H_q of every partition ` +
      `between c_min^2/4 H_q and B c_max^2/4 H_q, B = ${bins}; the dashed line is the sharper lower bound c_min^2/2 H_q.`,
  };
}

function pairFindings({ partitions, cMin, cMax }: TransportEvidence): Finding[] {
  const total = (key: "pairs" | "below" | "above") => partitions.reduce((sum, check) => sum + check[key], 0);
  const least = Math.min(...partitions.map(({ leastRatio }) => leastRatio));
  const most = Math.max(...partitions.map(({ mostRatio }) => mostRatio));
  const of = `${counted(total("pairs"), "transport")} (every two clients, every client and the mean)`;
  return [
    {
      statement: "c_min TV ≤ W_C",
      verdict: cMin > 0 ? verdictOf(total("below") === 0) : "does not apply",
      decides: `${grouped(total("below"))} of ${of} are below; the smallest W_C/TV is ${fixed(least)}, c_min ${fixed(cMin)}`,
    },
    {
      statement: "W_C ≤ c_max TV",
      verdict: verdictOf(total("above") === 0),
      decides: `${grouped(total("above"))} of ${of} are above; the largest W_C/TV is ${fixed(most)}, c_max ${fixed(cMax)}`,
    },
  ];
}

function heterogeneityFindings({ partitions, bins, cMin, cMax }: TransportEvidence): Finding[] {
  const broken = (side: keyof TransportCheck["broken"]) =>
    partitions.filter((check) => check.broken[side]).length;
  const ratios = partitions.map(({ hW, hQ }) => hW / hQ);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  const lower = (cMin * cMin) / 4;
  const upper = (bins * cMax * cMax) / 4;
  const of = counted(partitions.length, "partition");
  const lowerVerdict = (side: "lower" | "sharper") =>
    cMin > 0 ? verdictOf(broken(side) === 0) : "does not apply";
  return [
    {
      statement: "c_min^2/4 H_q ≤ H_W",
      verdict: lowerVerdict("lower"),
      decides: `${broken("lower")} of ${of} break it; H_W is at least ${measured(least / lower)} times the bound`,
    },
    {
      statement: "H_W ≤ B c_max^2/4 H_q",
      verdict: verdictOf(broken("upper") === 0),
      decides:
        `${broken("upper")} of ${of} break it; H_W is at most ${measured((100 * most) / upper, 2)} % of the bound. ` +
        `Measured H_W/H_q spans a factor of ${measured(most / least, 2)}, where the band is ` +
        `${cMin > 0 ? `${measured(upper / lower)} wide` : "without a lower end"}`,
    },
    {
      statement: `${BEYOND}c_min^2/2 H_q ≤ H_W, since differences of histograms sum to zero`,
      verdict: lowerVerdict("sharper"),
      decides: `${broken("sharper")} of ${of} break it; H_W is at least ${measured(least / (2 * lower))} times the bound`,
    },
  ];
}

function bandTable(partitions: readonly TransportCheck[]): Table {
  const alphas = [...new Set(partitions.map(({ alpha }) => alpha))];
  const row = (alpha: number) => {
    const chosen = partitions.filter((check) => check.alpha === alpha);
    const of = (value: (check: TransportCheck) => number) => chosen.map(value);
    const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
    return [
      textCell(String(alpha)),
      measuredCell(of(({ pairs }) => pairs).reduce((a, b) => a + b, 0)),
      measuredCell(Math.min(...of(({ leastRatio }) => leastRatio))),
      measuredCell(mean(of(({ meanRatio }) => meanRatio))),
      measuredCell(Math.max(...of(({ mostRatio }) => mostRatio))),
      measuredCell(Math.min(...of(({ hW, hQ }) => hW / hQ))),
      measuredCell(mean(of(({ hW, hQ }) => hW / hQ))),
      measuredCell(Math.max(...of(({ hW, hQ }) => hW / hQ))),
    ];
  };
  const columns = (symbol: string, csv: string) =>
    ["least", "mean", "most"].map((which) => ({ heading: `${symbol}, ${which}`, csv: [`${csv}_${which}`] }));
  return {
    name: "transport-band",
    title: "Where in the band partitions lie",
    caption: "Over all numbers of clients, seeds and repair rules.",
    columns: [
      { heading: "α", csv: ["alpha"], align: "left" },
      { heading: "transports", csv: ["transports"] },
      ...columns("W_C/TV", "ratio"),
      ...columns("H_W/H_q", "heterogeneity"),
    ],
    groups: [alphas.map(row)],
  };
}
