import { describe, expect, it } from "vitest";
import { textCell } from "../../../src/analysis/tables/table.js";
import { placeOf } from "../../../src/paper/places.js";
import { FORMULAS } from "../../../src/paper/theory/formulas.js";
import { theoryMarkdown, verdictCounts } from "../../../src/paper/theory/page.js";
import { BEYOND, type Prediction } from "../../../src/paper/theory/prediction.js";

const prediction: Prediction = {
  name: "transport-band",
  title: "Transport and norm",
  claim: "H_W and H_q grow together.",
  labels: ["eq:app-tv", "sec:theory"],
  rules: ["No pair breaks it."],
  findings: [
    { statement: "|W_C| ≤ c_max TV", verdict: "holds", decides: "0 of 3 < 1" },
    { statement: "c_min TV ≤ W_C", verdict: "fails", decides: "1 of 3" },
    { statement: "c_min > 0", verdict: "does not apply", decides: "c_min = 0" },
    { statement: `${BEYOND}W_C is a metric`, verdict: "holds", decides: "0 of 3" },
  ],
  tables: [
    {
      name: "band",
      title: "The band",
      caption: "Over all pairs.",
      columns: [{ heading: "H_W/H_q", csv: ["ratio"] }],
      groups: [[[textCell("|a|")]]],
    },
  ],
  caption: "All pairs.",
};
const page = theoryMarkdown({
  title: "The theory",
  predictions: [prediction],
  facts: [["Task", "u_x = a"]],
  commands: ["pde-dirichlet theory"],
});

describe("the page of the theory", () => {
  it("begins with verdicts in numbers, the paper's statements apart from others, and with what fails", () => {
    const [summary] = page.split("## 1. Transport and norm");
    expect(summary).toContain("| 1. Transport and norm | 1 holds, 1 fails, 1 does not apply | 1 holds |");
    expect(summary).toMatch(/What fails:\n\n- 1\. .*TV ≤ .*: 1 of 3\.\n\n/);
  });

  it("says so where nothing fails", () => {
    const findings = prediction.findings.filter(({ verdict }) => verdict !== "fails");
    const fine = theoryMarkdown({
      title: "",
      predictions: [{ ...prediction, findings }],
      facts: [],
      commands: [],
    });
    expect(fine).toContain("Nothing fails.");
    expect(fine).not.toContain("What fails:");
  });

  it("has every statement with its verdict, in bold where it does not hold", () => {
    const [, section] = page.split("## 1. Transport and norm");
    const verdicts = [...section.matchAll(/\| (holds|\*\*fails\*\*|\*\*does not apply\*\*) \|/g)];
    expect(verdicts.map(([, verdict]) => verdict)).toEqual([
      "holds",
      "**fails**",
      "**does not apply**",
      "holds",
    ]);
  });

  it("names the place in the paper, not its label, and sets the formula if there is one", () => {
    expect(page).toContain("Appendix D, transport–norm equivalence\n\n$$\nc_{\\min}\\mathrm{TV}");
    expect(page).toContain("Section 2.1\n\n!");
    expect(page).not.toMatch(/(eq|sec|app):/);
    for (const label of Object.keys(FORMULAS)) expect(placeOf(label)).toMatch(/^Appendix [C-J], /);
  });

  it("keeps every row of a table in as many cells as its header has", () => {
    for (const block of page.match(/(?:^\|.*\n)+/gm)!) {
      const cells = block
        .trim()
        .split("\n")
        .map((line) => line.split("|").length);
      expect(new Set(cells).size, block).toBe(1);
    }
    expect(page).toContain("&#124;<i>W</i><sub><i>C</i></sub>&#124;");
  });

  it("links figure and evidence where they are told to be", () => {
    expect(page).toContain("](figures/transport-band.svg)");
    const elsewhere = theoryMarkdown(
      { title: "", predictions: [prediction], facts: [], commands: [] },
      { figures: "theory/figures", evidence: "theory/evidence.json" },
    );
    expect(elsewhere).toContain("](theory/figures/transport-band.svg)");
    expect(elsewhere).toContain("](theory/evidence.json)");
  });

  it("counts verdicts in words", () => {
    const findings = prediction.findings.slice(0, 3);
    expect(verdictCounts(findings)).toBe("1 holds, 1 fails, 1 does not apply");
    expect(verdictCounts([...findings, ...findings])).toBe("2 hold, 2 fail, 2 do not apply");
    expect(verdictCounts([findings[1]])).toBe("1 fails");
    expect(verdictCounts([prediction.findings[0]])).toBe("1 holds");
  });
});
