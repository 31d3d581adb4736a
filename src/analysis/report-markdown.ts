import { tally } from "./claims.js";
import { claimsTable, ruleSentences } from "./claims-table.js";
import { tallyWords } from "./phrases.js";
import { type Report, sourceSentence } from "./report.js";
import { markdownTable, markdownText } from "./table-formats.js";

/** Where a Markdown page finds its figures and tables. */
export interface MarkdownOptions {
  /** Folder of the figures, relative to the page. Default "figures". */
  readonly figures?: string;
  /** Ending of the figures that it shows. Default "svg". */
  readonly ending?: "svg" | "png";
}

/** A report as Markdown, for a repository's documents. */
export function resultsMarkdown(report: Report, options: MarkdownOptions = {}): string {
  const { title, findings, claims, tables, figures, facts, commands } = report;
  const { figures: folder = "figures", ending = "svg" } = options;
  const { run, gaps, missing } = findings.coverage;
  const lines = [
    `# ${markdownText(title)}`,
    "",
    sourceSentence(report),
    "",
    "## What was run",
    "",
    ...bullets(run),
    ...(gaps.length > 0 ? ["Missing runs:", "", ...bullets(gaps)] : []),
    ...(missing.length > 0 ? ["Not in these records:", "", ...bullets(missing)] : []),
    ...(facts.length > 0 ? [...facts.map(([name, value]) => `- ${name}: ${value}`), ""] : []),
  ];
  if (claims.length > 0) {
    const table = claimsTable(claims);
    lines.push("## The paper's claims", "", `${tallyWords(tally(claims))} ${table.caption}`, "");
    lines.push(markdownTable(table), "Rules:", "", ...bullets(ruleSentences(claims)));
  }
  if (findings.answers.length > 0) lines.push("## Findings", "");
  for (const { id, question, short, sentences, missing: gaps } of findings.answers) {
    lines.push(`### ${id}. ${question}`, "", `**${short}**`, "", ...bullets(sentences));
    if (gaps.length > 0) lines.push(`Not answered: ${gaps.join(" ")}`, "");
  }
  if (tables.length > 0) lines.push("## Tables", "");
  for (const table of tables) lines.push(`### ${table.title}`, "", table.caption, "", markdownTable(table));
  if (figures.length > 0) lines.push("## Figures", "");
  figures.forEach(({ name, title: heading, caption }, i) => {
    lines.push(
      `![${heading}](${folder}/${name}.${ending})`,
      "",
      `*Figure ${i + 1}. ${heading}.* ${caption}`,
      "",
    );
  });
  lines.push("## How to make it again", "", "```", ...commands, "```", "");
  return lines.join("\n");
}

function bullets(sentences: readonly string[]): string[] {
  return sentences.length > 0 ? [...sentences.map((sentence) => `- ${sentence}`), ""] : [];
}
