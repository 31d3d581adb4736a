import { notationHtml } from "../../analysis/notation.js";
import { markdownTable } from "../../analysis/tables/table-formats.js";
import { placeOf } from "../places.js";
import { FORMULAS } from "./formulas.js";
import { BEYOND, type Finding, type Prediction } from "./prediction.js";

/** The content of the theory page. */
export interface TheoryReport {
  readonly title: string;
  readonly predictions: readonly Prediction[];
  /** Names and values, for example task, sizes and seed. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Command lines that reproduce the page. */
  readonly commands: readonly string[];
}

/** Options of `theoryMarkdown`. */
export interface TheoryPageOptions {
  /** Folder of the figures, relative to the page. Default "figures". */
  readonly figures?: string;
  /** Path of the evidence file, relative to the page. Default "evidence.json". */
  readonly evidence?: string;
}

/** Renders the page as Markdown: a summary of the verdicts, then one section per prediction. */
export function theoryMarkdown(report: TheoryReport, options: TheoryPageOptions = {}): string {
  const { figures = "figures", evidence = "evidence.json" } = options;
  const { title, predictions, facts, commands } = report;
  const lines = [
    `# ${title}`,
    "",
    "The paper ends with statements that can be wrong (Appendix K). Each is checked here on the data of a task, its bins " +
      "and its operator: it holds, it fails, or it does not apply because an assumption is not met. Statements that the " +
      "paper does not make, but a reader may wonder about, say so. Verdicts follow rules that were set before anything was " +
      "measured; where one came or changed later, it says so. They stand at the end of each section. All numbers are in " +
      `[evidence](${evidence}).`,
    "",
    ...facts.map(([name, value]) => `- ${name}: ${written(value)}`),
    "",
    "## Verdicts",
    "",
    ...summary(predictions),
    "",
  ];
  predictions.forEach((prediction, i) => {
    lines.push(`## ${i + 1}. ${prediction.title}`, "", ...section(prediction, figures));
  });
  lines.push("## How to make it again", "", "```", ...commands, "```", "");
  return lines.join("\n");
}

/** Verdicts in a word each: "9 hold, 1 fails, 1 does not apply". */
export function verdictCounts(findings: readonly Finding[]): string {
  const count = (verdict: Finding["verdict"]) => findings.filter((one) => one.verdict === verdict).length;
  const [holding, failing, silent] = [count("holds"), count("fails"), count("does not apply")];
  return [
    ...(holding > 0 || findings.length === 0 ? [`${holding} ${holding === 1 ? "holds" : "hold"}`] : []),
    ...(failing > 0 ? [`${failing} ${failing === 1 ? "fails" : "fail"}`] : []),
    ...(silent > 0 ? [`${silent} ${silent === 1 ? "does" : "do"} not apply`] : []),
  ].join(", ");
}

function summary(predictions: readonly Prediction[]): string[] {
  const rows = predictions.map(({ title, findings }, i) => {
    const ours = findings.filter(isBeyond);
    const theirs = findings.filter((finding) => !isBeyond(finding));
    return [`${i + 1}. ${written(title)}`, verdictCounts(theirs), ours.length > 0 ? verdictCounts(ours) : ""];
  });
  const failing = predictions.flatMap(({ findings }, i) =>
    findings
      .filter(({ verdict }) => verdict === "fails")
      .map(({ statement, decides }) => `- ${i + 1}. ${written(statement)}: ${written(decides)}.`),
  );
  return [
    ...table(["Prediction", "The paper's statements", "Beyond the paper"], rows),
    "",
    ...(failing.length > 0 ? ["What fails:", "", ...failing] : ["Nothing fails."]),
  ];
}

const isBeyond = ({ statement }: Finding): boolean => statement.startsWith(BEYOND);

function section(prediction: Prediction, figures: string): string[] {
  const { name, title, claim, labels, rules, findings, tables, caption } = prediction;
  return [
    written(claim),
    "",
    ...labels.flatMap((label) => {
      const formula = FORMULAS[label];
      return [placeOf(label), "", ...(formula === undefined ? [] : ["$$", formula, "$$", ""])];
    }),
    `![${title}](${figures}/${name}.svg)`,
    "",
    `*${title}.* ${written(caption)}`,
    "",
    ...table(
      ["Statement", "Verdict", "What decides"],
      findings.map(({ statement, verdict, decides }) => [
        written(statement),
        shown(verdict),
        written(decides),
      ]),
    ),
    "",
    ...tables.flatMap((one) => [
      `**${written(one.title)}.** ${written(one.caption)}`,
      "",
      markdownTable(one, written),
    ]),
    "How verdicts are reached:",
    "",
    ...rules.map((rule) => `- ${written(rule)}`),
    "",
  ];
}

const shown = (verdict: Finding["verdict"]): string => (verdict === "holds" ? verdict : `**${verdict}**`);

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), `|${header.map(() => "---").join("|")}|`, ...rows.map(line)];
}

/** Mathematics set by tags that Markdown lets through; bars would end a cell of a table. */
function written(text: string): string {
  return notationHtml(text)
    .replace(/\|/g, "&#124;")
    .replace(/[\\*]/g, (sign) => `\\${sign}`);
}
