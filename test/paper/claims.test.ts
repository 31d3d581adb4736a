import { describe, expect, it } from "vitest";
import { distinctRecords } from "../../src/analysis/observations.js";
import { csvTable, latexTable } from "../../src/analysis/tables/table-formats.js";
import { parseTable } from "../../src/files/csv.js";
import type { Counts, PartitionRow } from "../../src/paper/claims/claim.js";
import { claims, measured, tally } from "../../src/paper/claims/claims.js";
import { claimsBlock, claimsPage } from "../../src/paper/claims/claims-page.js";
import { claimsTable, ruleSentences } from "../../src/paper/claims/claims-table.js";
import { tallyWords } from "../../src/paper/claims/tally-words.js";
import { placeOf } from "../../src/paper/places.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import type { Settings } from "../../src/records/settings.js";
import { syntheticRecords, syntheticStudy } from "../records/synthetic-records.js";

const study = distinctRecords(syntheticStudy());

function part(records: readonly SeedRecord[], name: string, subject: string) {
  const claim = claims(records)
    .flatMap((group) => group.claims)
    .find((one) => one.name === name)!;
  return claim.parts.find((one) => one.subject === subject)!;
}

/** The final excess error of chosen runs, seed by seed. */
function withExcess(
  records: readonly SeedRecord[],
  { task, alpha, ...settings }: Settings,
  excess: readonly number[],
) {
  const seeds = [...new Set(records.map(({ seed }) => seed))].sort((a, b) => a - b);
  return records.map((row) => {
    const is =
      row.task === task &&
      row.alpha === alpha &&
      Object.entries(settings).every(([name, value]) => row.settings[name] === value);
    return is && row.round === 1000 ? { ...row, excess_error: excess[seeds.indexOf(row.seed)] } : row;
  });
}

describe("the paper's claims", () => {
  it("are many, each with its own name, place and rule", () => {
    const all = claims([]).flatMap((group) => group.claims);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(40);
    for (const { section, text, parts } of all) {
      expect(placeOf(section)).toMatch(/^(Abstract|Section \d\.\d|Table \d|Figure S?\d)(, |$)/);
      expect(text).not.toMatch(/\.$/);
      expect(parts.length).toBeGreaterThan(0);
    }
  });

  it("are not measured where there is nothing", () => {
    expect(tally(claims([]))).toMatchObject({ holds: 0, "does not hold": 0, undecided: 0 });
    expect(measured(claims([]))).toEqual([]);
  });

  it("are not decided by runs that are shorter than the paper's", () => {
    expect(measured(claims(syntheticRecords({ rounds: [0, 1, 50] })))).toEqual([]);
  });

  it("are decided for the tasks that there are", () => {
    const one = measured(claims(syntheticRecords({ tasks: ["antiderivative"] })));
    const subjects = one.flatMap((group) => group.claims.flatMap(({ parts }) => parts.map((p) => p.subject)));
    expect(subjects.length).toBeGreaterThan(15);
    expect(subjects.filter((subject) => /Burgers|Diffusion/.test(subject))).toEqual([]);
  });

  it("hold on records that were made as the paper says", () => {
    expect(part(study, "distance-rises", "Burgers").verdict).toBe("holds");
    expect(part(study, "gradients-rise", "Antiderivative").verdict).toBe("holds");
    expect(part(study, "viscosity-rises", "Burgers").verdict).toBe("holds");
    expect(part(study, "largest-effect", "all settings, α = 0.01").verdict).toBe("holds");
    expect(part(study, "sgd-higher-error", "Burgers").verdict).toBe("holds");
  });

  it("change their verdict with the excess errors", () => {
    const main = { task: "burgers", viscosity: 0.1, clients: 10, optimizer: "adam", alpha: 0.01 };
    const verdict = (excess: readonly number[]) =>
      part(withExcess(study, main, excess), "excess-positive", "Burgers").verdict;
    expect(verdict([0.9, 1, 1.1, 1, 0.9])).toBe("holds");
    expect(verdict([-0.9, -1, -1.1, -1, -0.9])).toBe("does not hold");
    expect(verdict([-0.3, 0.9, 1, -0.2, 1])).toBe("undecided");
    const sgd = { task: "burgers", optimizer: "sgd", alpha: 0.01 };
    const unresolved = (excess: readonly number[]) =>
      part(withExcess(study, sgd, excess), "sgd-unresolved", "Burgers").verdict;
    expect(unresolved([-3, 1, 4, -2, 1])).toBe("holds");
    expect(unresolved([-0.3, -0.31, -0.32, -0.3, -0.3])).toBe("does not hold");
  });

  it("state the number that a hand computes, with its interval", () => {
    const main = { task: "burgers", viscosity: 0.1, clients: 10, optimizer: "adam", alpha: 0.01 };
    const found = part(withExcess(study, main, [1, 1, 2, 3, 3]), "excess-positive", "Burgers");
    // Mean 2, standard deviation 1, t = 2.776 over sqrt(5).
    expect(found).toMatchObject({ ours: "2.000 [0.758, 3.242] pp", paper: "0.916 pp [0.238, 1.595]" });
  });

  it("count seeds and settings", () => {
    const main = { task: "diffusion-reaction", clients: 10, optimizer: "adam", alpha: 0.01 };
    const two = part(withExcess(study, main, [1, 1, -2, 3, -3]), "seeds", "Diffusion-reaction");
    expect(two).toMatchObject({ ours: "3 of 5 seeds positive", verdict: "does not hold" });
    const mixed = withExcess(study, { ...main, task: "antiderivative" }, [1, -1, -2, 3, -3]);
    expect(part(mixed, "seeds", "Antiderivative").verdict).toBe("holds");
    const more = withExcess(mixed, main, [1, 1, -2, 3, -3]);
    expect(part(more, "seeds", "Diffusion-reaction").verdict).toBe("holds");
    const unsure = withExcess(
      study,
      { task: "antiderivative", optimizer: "sgd", alpha: 0.01 },
      [40, -40, 9, 9, 9],
    );
    expect(part(unsure, "largest-effect", "all settings, α = 0.01").verdict).toBe("undecided");
    const sgd = withExcess(study, { task: "antiderivative", optimizer: "sgd", alpha: 0.01 }, [9, 9, 9, 9, 9]);
    expect(part(sgd, "largest-effect", "all settings, α = 0.01").verdict).toBe("does not hold");
  });

  it("on public tasks name the data: simulated, or imported", () => {
    const tasks = ["darcy", "imported-cylinder"];
    const records = distinctRecords(syntheticRecords({ tasks }));
    const subjects = measured(claims(records))
      .find(({ title }) => title === "Public tasks")!
      .claims.flatMap(({ parts }) => parts.map(({ subject }) => subject));
    expect(subjects).toContain("Darcy flow (simulated)");
    expect(subjects).toContain("Cylinder flow (imported)");
  });

  it("on partitions can be judged without any training", () => {
    const partitions = syntheticRecords({ tasks: ["darcy"], rounds: [0] });
    const found = measured(claims([], partitions)).flatMap((group) => group.claims);
    expect(found.map(({ name }) => name)).toContain("public-distance-rises");
    expect(found.map(({ name }) => name)).not.toContain("public-gradients-rise");
  });

  it("on simulated data are counted apart, on imported ones with the others", () => {
    const counts = (tasks: string[]) => tally(claims(distinctRecords(syntheticRecords({ tasks }))));
    const decided = (found: Counts) =>
      found.holds + found["does not hold"] + found.undecided + found["too wide to tell"];
    const [simulated, imported] = [counts(["darcy"]), counts(["imported-darcy"])];
    expect(decided(simulated)).toBe(0);
    expect(decided(simulated.simulated)).toBeGreaterThan(10);
    expect(decided(imported)).toBe(decided(simulated.simulated));
    expect(decided(imported.simulated)).toBe(0);
  });

  it("leave the largest effect to tasks that are the paper's, and count the simulated ones apart", () => {
    const flat = syntheticRecords({ tasks: ["flat-velocity"], excess: 40 });
    const subject = "all settings, α = 0.01";
    const both = distinctRecords([...syntheticStudy(), ...flat]);
    expect(part(both, "largest-effect", subject)).toMatchObject({ verdict: "holds" });
    expect(part(both, "largest-effect", `${subject}, with simulated tasks`)).toMatchObject({
      verdict: "does not hold",
      simulated: true,
    });
  });

  it("are too wide to tell where an interval covers the paper's number and its opposite", () => {
    const main = { task: "antiderivative", clients: 10, optimizer: "adam", alpha: 0.01 };
    const verdicts = (excess: readonly number[]) => {
      const records = withExcess(study, main, excess);
      const size = part(records, "excess-size", "Antiderivative, α = 0.01");
      return [part(records, "excess-unresolved", "Antiderivative").verdict, size.verdict];
    };
    // The paper has 0.230 [-0.292, 0.751].
    expect(verdicts([-3, 1, 4, -2, 1])).toEqual(["too wide to tell", "too wide to tell"]);
    expect(verdicts([0.2, 0.1, 0.15, 0.2, -0.1])).toEqual(["holds", "holds"]);
    const burgers = { task: "burgers", viscosity: 0.1, clients: 10, optimizer: "adam", alpha: 0.01 };
    const sign = (excess: readonly number[]) =>
      part(withExcess(study, burgers, excess), "excess-positive", "Burgers").verdict;
    expect(sign([-3, 1, 4, -2, 1])).toBe("too wide to tell");
    expect(sign([-0.3, 0.9, 1, -0.2, 1])).toBe("undecided");
  });

  it("that fail on partitions repaired by `closest` are marked, and those of another rule are not", () => {
    const partitions = syntheticRecords({ tasks: ["antiderivative"], rounds: [0] }).map((row) => ({
      ...row,
      d_sol: row.alpha === 0.01 ? 2 * row.d_sol : row.d_sol,
    }));
    const marks = (change: Partial<PartitionRow>) =>
      claims(
        [],
        partitions.map((row) => ({ ...row, ...change })),
      )
        .flatMap((group) => group.claims)
        .flatMap(({ name, parts }) => parts.filter(({ byRepair }) => byRepair).map(() => name));
    const failing = ["distance-size", "realisation-error"];
    expect(marks({ repair: "closest" })).toEqual(failing);
    expect(marks({ repair: "largest" })).toEqual([]);
    expect(marks({})).toEqual([]); // not known
    const table = csvTable(
      claimsTable(
        claims(
          [],
          partitions.map((row) => ({ ...row, repair: "closest" })),
        ),
      ),
    );
    expect(table.match(/does not hold \(repair\)/g)).toHaveLength(2);
  });

  it("judge the size of correlations by our interval and by that of the difference", () => {
    const all = claims(study).flatMap((group) => group.claims);
    const named = (name: string) => all.find((one) => one.name === name)!;
    expect(named("pearson-size").parts).toHaveLength(18);
    expect(named("spearman-size").parts).toHaveLength(9);
    for (const { paper, ours, verdict } of [
      ...named("pearson-size").parts,
      ...named("spearman-size").parts,
    ]) {
      const [, low, high] = /\[(\S+), (\S+)\]/.exec(ours.replaceAll("−", "-"))!.map(Number);
      // Two digits are shown: only what is clear from them is tested.
      if (Number(paper) > low + 0.01 && Number(paper) < high - 0.01)
        expect(verdict).toMatch(/holds|too wide/);
      if (Number(paper) < low - 0.01 || Number(paper) > high + 0.01)
        expect(verdict).toMatch(/does not hold|undecided/);
    }
  });

  it("on seeds, rounds and tasks are judged by counts, spreads and sizes", () => {
    const severe = { task: "dam-break", alpha: 0.01 };
    const water = distinctRecords(syntheticRecords({ tasks: ["dam-break"] }));
    const signs = (excess: readonly number[]) =>
      part(withExcess(water, severe, excess), "public-seeds", "Dam break (simulated)");
    expect(signs([1, 2, 3, 1, 2])).toMatchObject({ ours: "5 of 5 seeds positive", verdict: "holds" });
    expect(signs([1, 2, -3, 1, 2]).verdict).toBe("does not hold");

    const sgd = (means: readonly number[]) =>
      part(
        [10, 1, 0.1, 0.01].reduce(
          (records, alpha, i) =>
            withExcess(records, { task: "burgers", optimizer: "sgd", alpha }, new Array(5).fill(means[i])),
          study,
        ),
        "sgd-not-monotone",
        "Burgers",
      ).verdict;
    expect(sgd([0, 1, 0.5, 2])).toBe("holds");
    expect(sgd([0, 1, 2, 3])).toBe("does not hold");
    expect(sgd([0, -1, -2, -3])).toBe("does not hold");

    const early = (scale: number) =>
      study.map((row) => (row.round < 1000 ? { ...row, excess_error: scale * row.excess_error } : row));
    const subject = "Burgers, rounds 10 to 50";
    expect(part(early(30), "spread-transient", subject).verdict).toBe("holds");
    expect(part(early(0.001), "spread-transient", subject).verdict).toBe("does not hold");
    const flat = (excess: number) =>
      study.map((row) => (row.round === 20 && row.alpha === 0.01 ? { ...row, excess_error: excess } : row));
    expect(part(flat(90), "size-transient", "Burgers")).toMatchObject({ verdict: "holds" });
    expect(part(early(0.001), "size-transient", "Burgers").verdict).toBe("does not hold");
  });

  it("do not take partitions of a task that runs were trained on twice", () => {
    const records = distinctRecords(syntheticRecords({ tasks: ["burgers"] }));
    const others = records.map((row) => ({ ...row, d_sol: -row.d_sol }));
    expect(claims(records, others)).toEqual(claims(records));
  });
});

describe("the table of claims", () => {
  const groups = measured(claims(study));
  it("has one row a task or setting; the claim is printed once and stands in every row of the CSV", () => {
    const table = claimsTable(groups);
    const { header, rows } = parseTable(csvTable(table), "claims");
    const parts = groups.flatMap((group) => group.claims.flatMap((claim) => claim.parts));
    expect(rows.length).toBe(parts.length);
    expect(header).toEqual(["claim", "section", "subject", "paper", "here", "verdict", "rule"]);
    expect(rows.every((row) => row.every((cell) => cell !== ""))).toBe(true);
    expect(latexTable(table)).not.toMatch(/(?<!\\)_(?!\{)/);
  });

  it("explains the rules that it uses, and no others", () => {
    const partitions = measured(claims([], syntheticRecords({ tasks: ["darcy"] })));
    expect(ruleSentences(partitions).map((sentence) => sentence.split(":")[0])).toEqual([
      "sign",
      "size",
      "trend",
    ]);
  });

  it("does not count second readings of a claim", () => {
    const variants = groups.flatMap((group) =>
      group.claims.flatMap(({ parts }) => parts.filter((p) => p.variant)),
    );
    const all = groups.flatMap((group) => group.claims.flatMap(({ parts }) => parts));
    const { holds, undecided, "does not hold": fails, "too wide to tell": wide } = tally(groups);
    expect(variants.length).toBeGreaterThan(5);
    expect(holds + undecided + fails + wide).toBe(all.length - variants.length);
  });

  it("is summed up in words", () => {
    const none = {
      holds: 0,
      "does not hold": 0,
      undecided: 0,
      "too wide to tell": 0,
      "not measured": 0,
    };
    const own = { holds: 3, "does not hold": 1, undecided: 2, "too wide to tell": 5, "not measured": 4 };
    const counts = { ...own, leniently: 0, simulated: none, byRepair: 0 };
    const words =
      "Counted by task or setting, 3 of 11 claims hold, 1 do not hold, 2 are undecided and 5 are too wide to tell; " +
      "4 were not measured.";
    expect(tallyWords(counts)).toBe(words);
    expect(tallyWords({ ...counts, simulated: { ...none, holds: 7, undecided: 2 } })).toBe(
      `${words} Apart from these, 9 are on public tasks, which are simulated here: 7 hold, 0 do not hold, 2 are ` +
        "undecided and 0 are too wide to tell. They can neither confirm nor refute the paper, which took published data.",
    );
    expect(tallyWords({ ...counts, byRepair: 1 })).toMatch(
      /1 hang on the rule by which too small clients were repaired, `closest`: .*marked "\(repair\)"\.$/,
    );
    expect(tallyWords({ ...counts, leniently: 2 })).toMatch(
      /Of those that hold, 2 say that a number is the paper's or zero/,
    );
  });

  it("goes onto a page with what was not measured, and in short onto the front page", () => {
    const all = claims(study);
    const page = claimsPage(all, { commands: ["make"], notes: { Ablations: "A note." } });
    expect(page).toContain("## Not measured");
    expect(page).toContain("Cylinder flow (CFDBench): 12.11 %");
    const partly = all.map(({ title, claims: each }) => ({
      title,
      claims: each.map((claim) => ({
        ...claim,
        parts: claim.parts.map((part, i) => ({
          ...part,
          verdict: i === 0 ? ("holds" as const) : part.verdict,
        })),
      })),
    }));
    expect(claimsPage(partly, { commands: [] })).toContain("Cylinder flow (CFDBench): 12.11 %");
    expect(page.indexOf("A note.")).toBeGreaterThan(page.indexOf("## Ablations"));
    const headlines = measured(all)
      .flatMap((group) => group.claims)
      .filter(({ headline }) => headline);
    expect(headlines.length).toBeGreaterThanOrEqual(8);
    expect(
      claimsBlock(all)
        .split("\n")
        .filter((line) => line.startsWith("| ")).length,
    ).toBe(headlines.length + 1);
  });
});
