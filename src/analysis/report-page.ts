import type { QuestionedAnswer } from "./answer.js";
import { escapeHtml, notationHtml, unmarked } from "./notation.js";
import { notesOf, type PublishedSections, type RecordFigure, type Report } from "./report.js";
import { symbolsOf } from "./symbols.js";
import type { Table } from "./tables/table.js";
import { htmlTable } from "./tables/table-formats.js";

/**
 * Renders a report as one self-contained HTML page. The page embeds its styles and figures and loads nothing from the
 * network. It supports light mode, dark mode and print.
 */
export function reportPage(report: Report): string {
  const { title, summary } = report;
  const sections = sectionsOf(report).filter(({ content }) => content.length > 0);
  const body = [
    `<header>\n<h1>${escapeHtml(title)}</h1>`,
    summary.map((sentence) => `<p>${notationHtml(sentence)}</p>`).join("\n"),
    `<nav>${sections.map(({ id, heading }) => `<a href="#${id}">${heading}</a>`).join(" ")}</nav>\n</header>`,
    ...sections.map(
      ({ id, heading, content }) =>
        `<section id="${id}">\n<h2>${heading}</h2>\n${content.join("\n")}\n</section>`,
    ),
  ];
  return [
    "<!DOCTYPE html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>\n${STYLE}</style>`,
    "</head>",
    `<body>\n${body.join("\n")}\n</body>`,
    "</html>",
    "",
  ].join("\n");
}

interface Section {
  readonly id: string;
  readonly heading: string;
  /** Nothing of a section without content is shown. */
  readonly content: readonly string[];
}

function sectionsOf(report: Report): Section[] {
  const { findings, tables, figures, facts, commands } = report;
  const { run, gaps } = findings.coverage;
  const notes = notesOf(report);
  return [
    { id: "figures", heading: "Figures", content: figures.map(figure) },
    { id: "tables", heading: "Tables", content: tables.map(tableSection) },
    { id: "words", heading: "The numbers in words", content: notes.length > 0 ? [items(notes)] : [] },
    { id: "symbols", heading: "What the symbols mean", content: symbols(report) },
    {
      id: "run",
      heading: "What was run",
      content: [
        items(run),
        ...(gaps.length > 0 ? [`<div class="missing"><h3>Missing runs</h3>${items(gaps)}</div>`] : []),
        ...(facts.length > 0 ? [definitions(facts)] : []),
      ],
    },
    {
      id: "again",
      heading: "How to make it again",
      content: [
        `<pre><code>${commands.map(escapeHtml).join("\n")}</code></pre>`,
        "<p>The report is written from the seed-level records alone. Tables as Markdown, LaTeX and CSV are in " +
          "<code>tables/</code>, figures as SVG, PNG and PDF in <code>figures/</code> beside this page.</p>",
      ],
    },
    ...(report.published ? publishedSections(report.published) : []),
  ];
}

/** What a publication asks and claims, for runs that have its settings. */
function publishedSections({ questions, claims: judged }: PublishedSections): Section[] {
  const { heading, note, missing, answers } = questions;
  return [
    {
      id: "findings",
      heading,
      content: [
        `<p>${note}</p>`,
        ...(missing.length > 0
          ? [`<div class="missing"><h3>Not in these records</h3>${items(missing)}</div>`]
          : []),
        ...answers.map(answer),
      ],
    },
    ...(judged ? [{ id: "claims", heading: judged.heading, content: claims(judged) }] : []),
  ];
}

function tableSection(table: Table): string {
  return (
    `<section class="table" id="table-${table.name}">\n<h3>${notationHtml(table.title)}</h3>\n` +
    `<p class="caption">${notationHtml(table.caption)}</p>\n<div class="wide">${htmlTable(table)}</div>\n</section>`
  );
}

function symbols(report: Report): string[] {
  const found = symbolsOf(report);
  if (found.length === 0) return [];
  const rows = found.map(
    ({ symbol, meaning }) => `<dt>${notationHtml(symbol)}</dt><dd>${notationHtml(meaning)}</dd>`,
  );
  return [`<dl>${rows.join("\n")}</dl>`];
}

function answer({ id, question, short, sentences, missing }: QuestionedAnswer): string {
  const details =
    sentences.length > 0 ? `<details open><summary>Numbers</summary>${items(sentences)}</details>` : "";
  const gaps =
    missing.length > 0 ? `<p class="gap">Not answered: ${missing.map(notationHtml).join(" ")}</p>` : "";
  return (
    `<article id="${id}">\n<h3>${id}. ${notationHtml(question)}</h3>\n` +
    `<p class="short">${notationHtml(short)}</p>\n${details}${gaps}\n</article>`
  );
}

function claims({ caption, table, rules }: NonNullable<PublishedSections["claims"]>): string[] {
  return [
    `<p class="caption">${notationHtml(caption)}</p>`,
    `<div class="wide claims">${htmlTable(table)}</div>`,
    `<details><summary>Rules</summary>${items(rules)}</details>`,
  ];
}

function figure({ name, title, caption, svg }: RecordFigure, index: number): string {
  // Several figures of one page may have the same names inside, such as that of a colour scale.
  const own = `figure-${name}-`;
  const width = Number(svg.match(/<svg\b[^>]*\swidth="([\d.]+)"/)?.[1] ?? 560);
  // Inside HTML an SVG needs no namespace, and its title would pop up over every panel.
  const inline = svg
    .replace(' xmlns="http://www.w3.org/2000/svg"', "")
    .replace(/<title>(.*?)<\/title>\n?\s*/, "")
    .replace(/\sid="/g, (start) => start + own)
    .replaceAll("url(#", `url(#${own}`)
    .replace(/<svg\b/, `<svg aria-label="${escapeHtml(unmarked(title))}" style="width: ${1.25 * width}px"`);
  return (
    `<figure id="figure-${name}">\n<div class="sheet">${inline.trim()}</div>\n` +
    `<figcaption><b>Figure ${index + 1}. ${notationHtml(title)}.</b> ${notationHtml(caption)}</figcaption>\n</figure>`
  );
}

function items(sentences: readonly string[]): string {
  return `<ul>${sentences.map((sentence) => `<li>${notationHtml(sentence)}</li>`).join("\n")}</ul>`;
}

function definitions(facts: Report["facts"]): string {
  return `<dl>${facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("\n")}</dl>`;
}

const STYLE = `:root { --ink: #1a1a1a; --faint: #5c5c5c; --ground: #ffffff; --panel: #f5f6f8; --line: #d9dce1; --mark: #0b5c9c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --faint: #a8a8a8; --ground: #16181c; --panel: #1f2227; --line: #383c44; --mark: #7ab8ec; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 66rem; padding: 1.5rem 1.25rem 4rem; color: var(--ink); background: var(--ground);
  font: 16px/1.55 Inter, "Helvetica Neue", Helvetica, Arial, sans-serif; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.5rem; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.02rem; margin: 1.25rem 0 0.4rem; }
header p { max-width: 50rem; }
.caption, figcaption, .gap, dt { color: var(--faint); }
a { color: var(--mark); }
nav a { margin-right: 1rem; }
ul { margin: 0.4rem 0; padding-left: 1.2rem; }
li { margin: 0.2rem 0; }
sub, sup { line-height: 0; font-size: 0.75em; }
article { background: var(--panel); border-radius: 6px; padding: 0.25rem 1rem 0.75rem; margin: 0.75rem 0; }
.short { font-weight: 600; margin: 0.25rem 0 0.5rem; }
.gap, .caption, figcaption, details, .missing, dl { font-size: 0.9rem; }
summary { cursor: pointer; color: var(--faint); }
.missing { border-left: 3px solid #c47f00; padding: 0.1rem 0 0.1rem 1rem; margin: 1rem 0; }
.missing h3 { margin-top: 0.25rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1rem; margin: 1rem 0; }
dd { margin: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.8rem; font-variant-numeric: tabular-nums; white-space: nowrap;
  border-top: 2px solid var(--ink); border-bottom: 2px solid var(--ink); }
th { border-bottom: 1px solid var(--ink); font-weight: 600; }
th, td { padding: 0.22rem 0.45rem; text-align: right; }
th.left, td.left { text-align: left; }
.claims table { white-space: normal; }
.claims td { vertical-align: top; }
.claims td:nth-child(1) { min-width: 12rem; }
.claims td:nth-child(5) { min-width: 12rem; }
.claims td:nth-child(6) { white-space: nowrap; }
tbody + tbody tr:first-child td { border-top: 1px solid var(--line); }
figure { margin: 1.5rem 0 2.5rem; }
.sheet { background: #ffffff; border: 1px solid var(--line); border-radius: 6px; padding: 0.75rem; overflow-x: auto; }
.sheet svg { display: block; margin: 0 auto; max-width: 100%; height: auto; }
figcaption { margin-top: 0.6rem; }
pre { background: var(--panel); border-radius: 6px; padding: 0.75rem 1rem; overflow-x: auto; font-size: 0.85rem; }
@media print {
  :root { --ink: #000000; --faint: #444444; --ground: #ffffff; --panel: #ffffff; --line: #bbbbbb; --mark: #000000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  figure, section.table, li { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .sheet { border: none; padding: 0; }
  table { font-size: 7.5pt; white-space: normal; }
}
`;
