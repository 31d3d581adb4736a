import { describe, expect, it } from "vitest";
import { leftOut } from "../../src/analysis/missing-runs.js";
import type { Report } from "../../src/analysis/report.js";
import { resultsMarkdown } from "../../src/analysis/report-markdown.js";
import { reportPage } from "../../src/analysis/report-page.js";
import { reportSubject } from "../../src/analysis/subject.js";
import { symbolsOf } from "../../src/analysis/symbols.js";
import { clientBinHeatmap } from "../../src/figures/partitions/client-bin-heatmap.js";
import { PAPER_ADDITIONS } from "../../src/paper/additions.js";
import { PAPER } from "../../src/paper/published.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { composeReport } from "../../src/report/write-report.js";
import { assertWellFormed } from "../figures/well-formed.js";
import { syntheticRecords, syntheticStudy } from "../records/synthetic-records.js";

const STYLES = /<style>[\s\S]*<\/style>/;

function report(records: readonly SeedRecord[]): Report {
  const subject = reportSubject(records, PAPER);
  return composeReport(subject, {
    title: "Results of <all> & more",
    absent: leftOut(subject.records, [], PAPER),
    additions: PAPER_ADDITIONS,
    facts: [["Report by", "pde-dirichlet <0>"]],
    commands: ["pde-dirichlet study controlled --out a && b"],
  });
}

/** The page as XML, which it nearly is: without the doctype, and with its empty elements closed. */
function asXml(page: string): string {
  return page
    .replace("<!DOCTYPE html>\n", "")
    .replace(/<meta ([^>]*)>/g, "<meta $1/>")
    .replace("<details open>", '<details open="">')
    .replaceAll("<details open>", '<details open="">');
}

describe("the report page", () => {
  const page = reportPage(report(syntheticStudy()));

  it("begins with three sentences, then figures, then tables, and ends with the paper's claims", () => {
    const ids = [...page.matchAll(/<section id="([a-z]+)">/g)].map(([, id]) => id);
    expect(ids).toEqual(["figures", "tables", "symbols", "run", "again", "findings", "claims"]);
    const head = page.slice(page.indexOf("<header>"), page.indexOf("<nav>"));
    expect(head.match(/<p>/g)).toHaveLength(3);
    expect(head).toContain("275 runs trained Antiderivative, Burgers and Diffusion-reaction by FedAvg");
    const headings = [...resultsMarkdown(report(syntheticStudy())).matchAll(/^## (.*)$/gm)];
    expect(headings.map(([, heading]) => heading)).toEqual([
      "Figures",
      "Tables",
      "What the symbols mean",
      "What was run",
      "How to make it again",
      "The paper's research questions",
      "The paper's claims",
    ]);
  });

  it("cites places that readers of the paper can find, not labels of its source", () => {
    expect(page).toContain("Section 2.3");
    for (const text of [page, resultsMarkdown(report(syntheticStudy()))])
      expect(text).not.toMatch(/\b(sec|tab|fig|eq|thm|lem):[a-z]/);
  });

  it("explains every symbol once, and only those that occur", () => {
    const glossary = page.slice(page.indexOf('<section id="symbols">'), page.indexOf('<section id="run">'));
    const terms = [...glossary.matchAll(/<dt>(.*?)<\/dt>/g)].map(([, term]) => term.replace(/<[^>]+>/g, ""));
    expect(terms).toEqual([
      ...[
        "α",
        "K",
        "excess error",
        "eref, Δe",
        "Dsol",
        "W1",
        "CVn",
        "εpart",
        "Hgnorm",
        "Dθ",
        "ρs",
        "Δz",
        "n",
      ],
    ]);
    const bare = { ...report([]), summary: ["1 run at α = 1."] };
    expect(symbolsOf(bare).map(({ symbol }) => symbol)).toEqual(["α"]);
    const drawn = { name: "a", title: "b", caption: "c", svg: "<svg><text>D<tspan>θ</tspan></text></svg>" };
    expect(symbolsOf({ ...bare, summary: [], figures: [drawn] }).map(({ symbol }) => symbol)).toEqual([
      "D_θ",
    ]);
  });

  it("keeps names inside figures apart, such as that of a colour scale", () => {
    const svg = clientBinHeatmap({ panels: [{ label: "a", counts: [[1, 2]] }] });
    const figures = ["one", "two"].map((name) => ({ name, title: name, caption: "", svg }));
    const twice = reportPage({ ...report([]), figures });
    const ids = [...twice.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of twice.matchAll(/url\(#([^)]+)\)/g)) expect(ids).toContain(target);
    expect(twice).toContain("url(#figure-two-within-client-proportion)");
  });

  it("shows the claims that the records decide, with their rules, and none where there are none", () => {
    expect(page).toContain('<section id="claims">');
    expect(page).toContain("viscosity falls from 0.1 to 0.05 and 0.01");
    expect(resultsMarkdown(report(syntheticStudy()))).toContain("## The paper's claims");
    const short = syntheticRecords({ rounds: [0, 1] });
    expect(reportPage(report(short))).not.toContain('id="claims"');
    expect(resultsMarkdown(report(short))).not.toContain("## The paper's claims");
  });

  it("is well-formed, also for partial records and for none", () => {
    assertWellFormed(asXml(page));
    assertWellFormed(asXml(reportPage(report(syntheticRecords({ tasks: ["burgers"], seeds: [0] })))));
    assertWellFormed(asXml(reportPage(report([]))));
  });

  it("needs nothing from anywhere: no address, script, style sheet or picture", () => {
    expect(page).not.toMatch(/https?:|\/\/|<script|<link|<img|<iframe|@import|url\(/i);
    expect(
      [...page.matchAll(/\s(?:href|src)="([^"]*)"/g)].every(([, target]) => target.startsWith("#")),
    ).toBe(true);
  });

  it("has every figure inline, every table, every answer, and places that its links lead to", () => {
    expect(page.match(/<svg /g)).toHaveLength(9);
    expect(page.match(/<table>/g)).toHaveLength(8);
    expect(page.match(/<article id="RQ[1-4]">/g)).toHaveLength(4);
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  it("sets mathematics and escapes text", () => {
    expect(page).toContain("<i>D</i><sub>sol</sub>");
    expect(page).toContain("Results of &lt;all&gt; &amp; more");
    expect(page).toContain("--out a &amp;&amp; b");
  });

  it("names the paper only beside runs that are the paper's", () => {
    const named = "the paper's values beside those of its settings";
    expect(page).toContain(named);
    const own = report(syntheticStudy({ rounds: [0, 1, 30] }));
    for (const text of [reportPage(own).replace(STYLES, ""), resultsMarkdown(own)]) {
      expect(text).not.toMatch(/paper|RQ[1-4]|Not in these records|research question/i);
      expect(text).toContain("The numbers in words");
    }
    expect(reportPage(own)).not.toContain("Source</th>");
    expect(page).toContain("Source</th>");
  });

  it("takes its title as text", () => {
    const named = { ...report([]), title: "my_run_v2 of *all* <x>" };
    expect(reportPage(named)).toContain("<h1>my_run_v2 of *all* &lt;x&gt;</h1>");
    expect(resultsMarkdown(named)).toMatch(/^# my\\_run\\_v2 of \\\*all\\\* \\<x\\>\n/);
  });

  it("has colours for the dark and rules for paper", () => {
    expect(page).toContain("prefers-color-scheme: dark");
    expect(page).toContain("@media print");
  });

  it("says what is missing", () => {
    expect(page).not.toContain("Not in these records");
    const part = reportPage(report(syntheticRecords({ tasks: ["burgers"] })));
    expect(part).toContain("Not in these records");
    expect(part).toContain("No records of Antiderivative and Diffusion-reaction in the main setting.");
  });
});

describe("the report in Markdown", () => {
  const text = resultsMarkdown(report(syntheticStudy()), { figures: "controlled", ending: "png" });

  it("has the same answers, tables and figures", () => {
    expect(text.match(/^### RQ[1-4]\. /gm)).toHaveLength(4);
    expect(text.match(/^\|---/gm)).toHaveLength(8);
    expect(text.match(/^!\[.*\]\(controlled\/[a-z-]+\.png\)$/gm)).toHaveLength(9);
    expect(text).toContain("```\npde-dirichlet study controlled --out a && b\n```");
  });
});
