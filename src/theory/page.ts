import { notationHtml } from "../analysis/notation.js";
import { markdownTable } from "../analysis/table-formats.js";
import { FORMULAS } from "./formulas.js";
import type { Finding, Prediction } from "./prediction.js";

/** Everything that the page says. */
export interface TheoryReport {
  readonly title: string;
  readonly predictions: readonly Prediction[];
  /** Names and values: task, sizes, seed. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Command lines that make it again. */
  readonly commands: readonly string[];
}

export interface TheoryPageOptions {
  /** Folder of the figures, relative to the page. Default "figures". */
  readonly figures?: string;
  /** The evidence, relative to the page. Default "evidence.json". */
  readonly evidence?: string;
}

/** The page as Markdown: all verdicts first, then one section a prediction. */
export function theoryMarkdown(report: TheoryReport, options: TheoryPageOptions = {}): string {
  const { figures = "figures", evidence = "evidence.json" } = options;
  const { title, predictions, facts, commands } = report;
  const lines = [
    `# ${title}`,
    "",
    "The paper's appendix ends with statements that can be wrong. Each is checked here on the data of a task, its bins " +
      "and its operator: it holds, it fails, or it does not apply because an assumption is not met. The rules of " +
      "verdicts were decided before, stand with each prediction, and say so where one came or changed later. The numbers " +
      `behind it are in [evidence](${evidence}).`,
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
    `${holding} ${holding === 1 ? "holds" : "hold"}`,
    ...(failing > 0 ? [`${failing} ${failing === 1 ? "fails" : "fail"}`] : []),
    ...(silent > 0 ? [`${silent} ${silent === 1 ? "does" : "do"} not apply`] : []),
  ].join(", ");
}

function summary(predictions: readonly Prediction[]): string[] {
  const rows = predictions.flatMap(({ title, findings }, i) =>
    findings.map(({ statement, verdict }, j) => [
      j === 0 ? `${i + 1}. ${written(title)}` : "",
      written(statement),
      shown(verdict),
    ]),
  );
  return table(["Prediction", "Statement", "Verdict"], rows);
}

function section(prediction: Prediction, figures: string): string[] {
  const { name, title, claim, labels, rules, findings, tables, caption } = prediction;
  return [
    written(claim),
    "",
    ...labels.flatMap((label) => {
      const formula = FORMULAS[label];
      return formula === undefined ? [`\`${label}\``, ""] : [`\`${label}\``, "", "$$", formula, "$$", ""];
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
    "How verdicts are reached:",
    "",
    ...rules.map((rule) => `- ${written(rule)}`),
    "",
    ...tables.flatMap((one) => [
      `**${written(one.title)}.** ${written(one.caption)}`,
      "",
      markdownTable(one, written),
    ]),
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
