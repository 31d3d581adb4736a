/**
 * Writes the pages of docs/results with their figures, and the table of claims in README.md, from what is recorded there:
 * seed-level records, which were computed by `pde-dirichlet study`, statistics of partitions by `survey`, and evidence by
 * scripts/theory.mjs. With --check, fails if that would change any number or figure; words may change. Needs a build.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { leftOut } from "../dist/analysis/missing-runs.js";
import { finalRecords } from "../dist/analysis/observations.js";
import { readStatistics } from "../dist/analysis/partition-statistics.js";
import { list } from "../dist/analysis/phrases.js";
import { resultsMarkdown } from "../dist/analysis/report-markdown.js";
import { reportSummary } from "../dist/analysis/report-summary.js";
import { reportSubject } from "../dist/analysis/subject.js";
import { taskOf } from "../dist/datasets/tasks.js";
import { PAPER_ADDITIONS } from "../dist/paper/additions.js";
import { paperAnswers } from "../dist/paper/answers/answers.js";
import { recordedTheory, theoryOutputs } from "../dist/paper/check-theory.js";
import { claims, tally } from "../dist/paper/claims/claims.js";
import { claimsBlock, claimsPage, claimsTally } from "../dist/paper/claims/claims-page.js";
import { paperRecords } from "../dist/paper/paper-groups.js";
import { PAPER } from "../dist/paper/published.js";
import { paperSetting, sameSetting, settingOf } from "../dist/paper/settings.js";
import { surveyAdditions } from "../dist/paper/survey.js";
import { PAPER_REPAIR } from "../dist/partition/repair.js";
import { surveyOutputs } from "../dist/report/survey-outputs.js";
import { composeReport, readRecords } from "../dist/report/write-report.js";
import { costParagraph, wholeCost } from "./cost.mjs";
import { gpuSection } from "./gpu-table.mjs";
import { GROWTH, growthPage } from "./growth-page.mjs";
import { NAVIER_STOKES, navierStokesPage } from "./navier-stokes-page.mjs";
import { PARTITIONERS_PAGE, partitionersPage } from "./partitioners-page.mjs";
import { metresNote, publicSections, smallSections } from "./public-sections.mjs";
import { REMEDIES_PAGE, remediesPage } from "./remedies-page.mjs";
import { roundingSection } from "./rounding.mjs";
import { sameNumbers } from "./same-numbers.mjs";
import { THEORY_FILES } from "./theory-files.mjs";
import { TRANSIENT, transientSections } from "./transient-sections.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const RESULTS = `${ROOT}docs/results/`;
const COMMAND = "npm run results";
const CHECK = process.argv.includes("--check");
/** The figure of the front page. */
const FRONT = "ablations/figures/excess-beside-paper.svg";

const ABLATION = /^(ablation-|excess-beside-paper)/;
/** Comparisons of settings, which these pages leave to reports. */
const COMPARISON = /^(compare|difference|curves)-/;
const PAGES = {
  controlled: {
    title: "The controlled tasks, beside the paper",
    about: "Antiderivative, Burgers and diffusion-reaction in the paper's main setting.",
    records: "paper",
    groups: ["Partitions", "Controlled tasks", "Solution distance and input distance"],
    answers: ["RQ1", "RQ2", "RQ3"],
    shows: (name) => !ABLATION.test(name),
    sections: partitionSections,
    runs: (record) => sameSetting(paperSetting(record), settingOf(record.task)),
  },
  ablations: {
    title: "Client count, optimiser and viscosity, beside the paper",
    about: "The paper's ablations, each against the main setting.",
    records: "paper",
    groups: ["Ablations"],
    answers: ["RQ4"],
    shows: (name) => ABLATION.test(name),
    runs: () => true,
  },
  public: {
    title: "The public tasks, simulated, beside the paper",
    about:
      "Darcy flow, dam break, cylinder flow and flat velocity layers at the paper's scale, as far as they were run.",
    records: "public",
    groups: ["Public tasks"],
    answers: ["RQ1", "RQ2", "RQ3"],
    shows: () => true,
    runs: () => true,
    sections: (results) => publicSections(results, records.get("public")),
  },
  "public-small": {
    title: "The public tasks on coarse grids, simulated",
    about: "The same four tasks for 50 rounds, not the paper's: what two cores finish within the hour.",
    records: "public-small",
    groups: [],
    answers: ["RQ1", "RQ2", "RQ3", "RQ4"],
    shows: () => true,
    runs: () => true,
    sections: smallSections,
  },
  [TRANSIENT]: {
    title: "Darcy flow with PDEBench's transient, simulated, beside the paper",
    about:
      "The study `darcy-pdebench`: labels with what PDEBench's solver leaves of its random start, beside steady ones.",
    records: TRANSIENT,
    groups: [],
    answers: [],
    shows: () => true,
    runs: () => true,
    sections: () => transientSections(records.get(TRANSIENT), records.get("public")),
  },
};

/** How the partitions of each folder were surveyed. */
const SURVEYS = [
  { out: "docs/results", minSize: 16, repair: "largest" },
  { out: "docs/results/public", repair: "largest" },
  { out: "docs/results/repair-closest", minSize: 16, repair: "closest" },
];

const changed = [];
/** A folder's records. */
const records = new Map();
for (const name of new Set(Object.values(PAGES).map((page) => page.records)))
  records.set(name, (await readRecords(`${RESULTS}records/${name}`)).map(withRepair));
const paper = records.get("paper");
const [rounding, roundedAgain] = await Promise.all(
  ["rounding", "rounding-again"].map(async (name) =>
    paperRecords(await readRecords(`${RESULTS}records/${name}`)),
  ),
);
const trained = paperRecords([...paper, ...records.get("public")]);
const judged = claims(trained, partitionsOf("public"));
const whole = wholeCost(new Map(["paper", "public"].map((name) => [name, finalRecords(records.get(name))])));
const cost = `${whole} ${costParagraph(finalRecords(paper))}`;

for (const survey of SURVEYS) await writeSurvey(survey);
await writeTheory();
for (const [name, page] of Object.entries(PAGES)) writeResults(name, page);
for (const [page, written] of [
  [NAVIER_STOKES, navierStokesPage],
  [PARTITIONERS_PAGE, partitionersPage],
  [REMEDIES_PAGE, remediesPage],
  [GROWTH, growthPage],
])
  await writeOwnPage(page, written);
write(
  "docs/results/claims.md",
  claimsPage(judged, {
    about: "Rounding alone changes some verdicts too: [which](README.md#the-same-runs-rounded-otherwise).",
    commands: [COMMAND],
    notes: { Partitions: repairNote(), "Public tasks": metresNote(finalRecords(records.get("public"))) },
  }),
);
write("docs/results/README.md", indexPage());
write("README.md", withBlock(readFileSync(`${ROOT}README.md`, "utf8"), frontBlock()));
if (changed.length > 0 && CHECK) {
  console.error(`${changed.join(", ")} would change: run ${COMMAND}`);
  process.exit(1);
}

/** Runs that were not repeated yet with the rule of repair of the bundled studies: shown beside the others, and marked. */
function withRepair(record) {
  const { settings, overrides } = record;
  if (settings.repair !== "closest") return record;
  return {
    ...record,
    settings: { ...settings, repair: PAPER_REPAIR },
    overrides: overrides.filter((name) => name !== "repair"),
    repair: "closest",
  };
}

/** What `survey` measured on partitions at the paper's sizes. */
function partitionsOf(folder) {
  const out = `docs/results/${folder}`;
  const { repair } = SURVEYS.find((survey) => survey.out === out);
  return statisticsOf(out).map(({ metrics, ...partition }) => ({ ...partition, ...metrics, repair }));
}

function statisticsOf(folder) {
  const path = `${folder}/partition-statistics.csv`;
  return readStatistics(readFileSync(`${ROOT}${path}`, "utf8"), path);
}

/** A survey's page and figure, as `survey` writes them. */
async function writeSurvey({ out, ...options }) {
  const statistics = statisticsOf(out);
  const tasks = [...new Set(statistics.map(({ task }) => task))];
  const minSizes = tasks.map((task) => options.minSize ?? taskOf(task).minSize);
  const surveyed = { clients: 10, bins: 10, ...options, minSizes, out };
  for (const { path, bytes } of surveyOutputs(statistics, surveyed, surveyAdditions(tasks, surveyed))) {
    const isText = typeof bytes !== "function";
    if (isText) write(path, new TextDecoder().decode(bytes));
    else if (!CHECK && changed.includes(path.replace(/png$/, "svg")))
      writeFileSync(`${ROOT}${path}`, await bytes());
  }
}

/** The page of the theory and its figures, as scripts/theory.mjs writes them. */
async function writeTheory() {
  const recorded = JSON.parse(readFileSync(`${RESULTS}${THEORY_FILES.evidence}`, "utf8"));
  const outputs = theoryOutputs(recordedTheory(recorded), "docs/results", THEORY_FILES);
  for (const { path, bytes } of outputs) write(path, new TextDecoder().decode(bytes));
}

/** A page with a script of its own, and its figures. */
async function writeOwnPage({ name }, written) {
  const { text, figures } = await written(ROOT);
  writeFigures(`docs/results/${name}/figures`, figures);
  write(`docs/results/${name}.md`, text);
}

/** Figures by file name; others are removed from their folder. */
function writeFigures(folder, figures) {
  mkdirSync(`${ROOT}${folder}`, { recursive: true });
  for (const [file, svg] of figures) write(`${folder}/${file}`, svg);
  for (const file of readdirSync(`${ROOT}${folder}`)) if (!figures.has(file)) remove(`${folder}/${file}`);
}

/** How claims that hang on the rule of repair are judged by partitions with the other rule; empty where none does. */
function repairNote() {
  const failing = judged.flatMap((group) => group.claims.flatMap(({ parts }) => parts));
  const marked = failing.filter(({ byRepair }) => byRepair).map(({ subject }) => subject);
  const [sizes, errors] = ["distance-size", "realisation-error"].map((wanted) =>
    claims([], partitionsOf("public"))
      .flatMap((group) => group.claims)
      .find(({ name }) => name === wanted)
      .parts.filter(({ subject }) => marked.includes(subject))
      .map(({ subject, ours, verdict }) => `${ours} for ${subject} (${verdict})`),
  );
  const said = [
    ...(sizes.length > 0 ? [`D_sol is ${list(sizes)}`] : []),
    ...(errors.length > 0
      ? [`the change of the allocation error from α = 0.1 to 0.01 is ${list(errors)}`]
      : []),
  ];
  if (said.length === 0) return "";
  return (
    "Rows marked (repair) depend on the client that gives when another is too small, which the paper leaves open. With " +
    `\`--repair largest\` ${list(said)}: [statistics](public/partition-statistics.md).`
  );
}

function writeResults(name, page) {
  const rows = records.get(page.records);
  const subject = reportSubject(rows, PAPER);
  const shown = reportSubject(rows.filter(page.runs), PAPER);
  const shows = ({ name: one }) => page.shows(one) && !COMPARISON.test(one);
  const report = composeReport(subject, {
    title: page.title,
    absent: leftOut(subject.records, [], PAPER),
    additions: PAPER_ADDITIONS,
    facts: [
      ["Records", `[records/${page.records}](records/${page.records}/records.parquet)`],
      ...(page.groups.length > 0
        ? [["The paper's claims, judged by them", list(page.groups.map(claimsLink))]]
        : []),
    ],
    commands: [COMMAND],
  });
  const figures = report.figures.filter(shows);
  const drawn = figures.map((figure) => [`${figure.name}.svg`, figure.svg]);
  writeFigures(`docs/results/${name}/figures`, new Map(drawn));
  const { findings, published } = report;
  const { run } = composeCoverage(shown);
  const text = resultsMarkdown(
    {
      ...report,
      summary: reportSummary({ ...shown, axes: [] }),
      findings: { ...findings, comparisons: [], coverage: { ...findings.coverage, run } },
      tables: report.tables.filter(shows),
      figures,
      ...(published && {
        published: {
          questions: {
            ...published.questions,
            answers: published.questions.answers.filter(({ id }) => page.answers.includes(id)),
          },
        },
      }),
    },
    { figures: `${name}/figures` },
  );
  const sections = page.sections?.(RESULTS) ?? [];
  write(`docs/results/${name}.md`, text.replace("## Figures", [...sections, "## Figures"].join("\n")));
}

/** What was run of the records of a page. */
function composeCoverage(subject) {
  const absent = leftOut(subject.records, [], PAPER);
  return PAPER_ADDITIONS.coverage(subject, absent);
}

/** A group's place on the page of claims. */
function claimsLink(title) {
  return `[${title.toLowerCase()}](claims.md#${title.toLowerCase().replaceAll(" ", "-")})`;
}

/** A partition as the clients see it (fig:client-bin-distributions). */
function partitionSections() {
  return [
    "## A partition",
    "",
    "![Burgers over ten clients at three concentrations](../figures/burgers-partition.svg)",
    "",
    "*The paper's Burgers set, seed 42, over ten clients. Rows are clients, columns solution bins, numbers are samples; below,",
    "the clients' sizes.*",
    "",
  ];
}

/** What lies where, and the answers in short. */
function indexPage() {
  const answers = paperAnswers(reportSubject(paper, PAPER));
  return [
    "# Results",
    "",
    ...Object.entries(PAGES).map(([name, { title, about }]) => `- [${title}](${name}.md): ${about}`),
    ...[NAVIER_STOKES, PARTITIONERS_PAGE, REMEDIES_PAGE, GROWTH].map(
      ({ title, name, about }) => `- [${title}](${name}.md): ${about}`,
    ),
    "- [The paper's claims, one by one](claims.md): claim, paper's number, ours with its interval, verdict.",
    "- [Partition statistics](partition-statistics.md) of the controlled tasks, [of the public ones](public/partition-statistics.md), and",
    "  [with repair from the closest client](repair-closest/partition-statistics.md).",
    "- The client of every sample of every run: `partitions.npz` beside the [records](records), one array a run, by its name.",
    "- [The paper's predictions, checked](theory.md).",
    "",
    "## The research questions in short",
    "",
    "On the controlled tasks, five seeds and 1000 rounds; the pages have the numbers behind each sentence.",
    "",
    ...answers.flatMap(({ id, question, short }) => [`**${id}. ${question}** ${short}`, ""]),
    `![Excess error beside the paper's](${FRONT})`,
    "",
    "## The main claims",
    "",
    claimsBlock(judged),
    "",
    `${claimsTally(judged)} [All claims](claims.md).`,
    "",
    ...roundingSection(rounding, roundedAgain, (rows) => claims(rows, partitionsOf("public"))),
    "",
    "## What it took",
    "",
    cost.replace("PERFORMANCE", "../performance.md"),
    "",
    ...gpuSection(),
    "",
    "## How to make it again",
    "",
    "```",
    COMMAND,
    "```",
    "",
  ].join("\n");
}

/** What came out in short, for the front page. */
function frontBlock() {
  return [
    `${shortTally()} [The main ones](docs/results/README.md), [all of them](docs/results/claims.md).`,
    whole,
  ].join("\n");
}

function shortTally() {
  const { holds, "does not hold": fails, undecided, "too wide to tell": wide } = tally(judged);
  return (
    `Of the paper's claims on its controlled tasks, counted by task or setting, ${holds} hold, ${fails} do not, and ` +
    `${undecided + wide} cannot be decided by five seeds.`
  );
}

function withBlock(readme, block) {
  const marked = /(<!-- results: scripts\/results\.mjs writes this -->\n)[\s\S]*?(\n<!-- end of results -->)/;
  if (!marked.test(readme)) throw new Error("README.md has no place for the results");
  return readme.replace(marked, (_, start, end) => start + block + end);
}

function remove(path) {
  changed.push(path);
  if (!CHECK) rmSync(`${ROOT}${path}`);
}

function write(path, text) {
  const before = existsSync(`${ROOT}${path}`) ? readFileSync(`${ROOT}${path}`, "utf8") : undefined;
  if (before === text || (CHECK && before !== undefined && path.endsWith(".md") && sameNumbers(before, text)))
    return;
  changed.push(path);
  if (!CHECK) writeFileSync(`${ROOT}${path}`, text);
}
