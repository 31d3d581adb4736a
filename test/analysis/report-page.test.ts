import { describe, expect, it } from "vitest";
import { claims, measured } from "../../src/analysis/claims.js";
import { findings } from "../../src/analysis/findings.js";
import { distinctRecords } from "../../src/analysis/observations.js";
import { withOwnSettings } from "../../src/analysis/own-settings.js";
import type { Report } from "../../src/analysis/report.js";
import { resultsMarkdown } from "../../src/analysis/report-markdown.js";
import { reportPage } from "../../src/analysis/report-page.js";
import { reportTables } from "../../src/analysis/report-tables.js";
import { reportFigures } from "../../src/figures/report-figures.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { assertWellFormed } from "../figures/well-formed.js";
import { syntheticRecords, syntheticStudy } from "../records/synthetic-records.js";

function report(records: readonly SeedRecord[]): Report {
  return {
    title: "Results of <all> & more",
    findings: findings(records),
    besidePaper: true,
    claims: measured(claims(records)),
    tables: reportTables(records),
    figures: reportFigures(records),
    facts: [["Report by", "pde-dirichlet <0>"]],
    commands: ["pde-dirichlet study controlled --out a && b"],
  };
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
    const named = "the paper's values stand beside those of its settings";
    expect(page).toContain(named);
    const { records } = withOwnSettings(syntheticStudy({ rounds: [0, 1, 30] }));
    const own = { ...report(distinctRecords(records)), besidePaper: false };
    expect(reportPage(own)).not.toMatch(/paper/i);
    expect(resultsMarkdown(own)).not.toMatch(/paper/i);
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
    const part = reportPage(report(syntheticRecords({ tasks: ["burgers"], rounds: [0, 50] })));
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
