import { notesOf, type PublishedSections, type Report } from "./report.js";
import { symbolsOf } from "./symbols.js";
import { markdownTable, markdownText } from "./tables/table-formats.js";

/** Paths and file types of the figures in a Markdown page. */
export interface MarkdownOptions {
  /** Folder of the figures, relative to the page. Default "figures". */
  readonly figures?: string;
  /** File type of the figures. Default "svg". */
  readonly ending?: "svg" | "png";
}

/** Renders a report as Markdown, for the documents of a repository. */
export function resultsMarkdown(report: Report, options: MarkdownOptions = {}): string {
  const { title, summary, findings, tables, figures, facts, commands } = report;
  const { figures: folder = "figures", ending = "svg" } = options;
  const { run, gaps } = findings.coverage;
  const lines = [`# ${markdownText(title)}`, "", ...summary.flatMap((sentence) => [sentence, ""])];
  if (figures.length > 0) lines.push("## Figures", "");
  figures.forEach(({ name, title: heading, caption }, i) => {
    lines.push(
      `![${heading}](${folder}/${name}.${ending})`,
      "",
      `*Figure ${i + 1}. ${heading}.* ${caption}`,
      "",
    );
  });
  if (tables.length > 0) lines.push("## Tables", "");
  for (const table of tables) lines.push(`### ${table.title}`, "", table.caption, "", markdownTable(table));
  const notes = notesOf(report);
  if (notes.length > 0) lines.push("## The numbers in words", "", ...bullets(notes));
  const symbols = symbolsOf(report).map(({ symbol, meaning }) => `${symbol}: ${meaning}.`);
  if (symbols.length > 0) lines.push("## What the symbols mean", "", ...bullets(symbols));
  lines.push("## What was run", "", ...bullets(run));
  if (gaps.length > 0) lines.push("Missing runs:", "", ...bullets(gaps));
  if (facts.length > 0) lines.push(...facts.map(([name, value]) => `- ${name}: ${value}`), "");
  lines.push("## How to make it again", "", "```", ...commands, "```", "");
  if (report.published) lines.push(...publishedLines(report.published));
  return lines.join("\n");
}

/** What a publication asks and claims, for runs that have its settings. */
function publishedLines({ questions, claims }: PublishedSections): string[] {
  const lines = [`## ${questions.heading}`, "", questions.note, ""];
  if (questions.missing.length > 0) lines.push("Not in these records:", "", ...bullets(questions.missing));
  for (const { id, question, short, sentences, missing } of questions.answers) {
    lines.push(`### ${id}. ${question}`, "", `**${short}**`, "", ...bullets(sentences));
    if (missing.length > 0) lines.push(`Not answered: ${missing.join(" ")}`, "");
  }
  if (!claims) return lines;
  return [
    ...lines,
    `## ${claims.heading}`,
    "",
    claims.caption,
    "",
    markdownTable(claims.table),
    "Rules:",
    "",
    ...bullets(claims.rules),
  ];
}

function bullets(sentences: readonly string[]): string[] {
  return sentences.length > 0 ? [...sentences.map((sentence) => `- ${sentence}`), ""] : [];
}
