import { comparedErrors } from "../dist/analysis/axes/axis-contrasts.js";
import { axisFindings, axisSummary } from "../dist/analysis/axes/axis-findings.js";
import { reportSubject } from "../dist/analysis/subject.js";
import { axisTable } from "../dist/analysis/tables/axis-table.js";
import { differenceTable } from "../dist/analysis/tables/difference-table.js";
import { markdownTable, markdownText } from "../dist/analysis/tables/table-formats.js";
import { levelCurvesFigure } from "../dist/figures/levels/level-curves.js";
import { levelDifferencesFigure } from "../dist/figures/levels/level-differences.js";
import { readRecords } from "../dist/report/write-report.js";

const NAME = "remedies";
export const REMEDIES_PAGE = {
  name: NAME,
  title: "Strategies on Antiderivative",
  about: "every strategy at its defaults, paired with FedAvg by seed: errors, single clients, communication.",
};

/** The page about the bundled study of remedies and its figures by file name, from its records. */
export async function remediesPage(root) {
  const [axis] = reportSubject(await readRecords(`${root}docs/results/records/${NAME}`)).axes;
  const errors = comparedErrors(axis);
  const differences = errors.map((error) => levelDifferencesFigure(axis, error));
  const figures = [...differences, levelCurvesFigure(axis)];
  const picture = ({ name, title, caption }) => [
    `![${title}](${NAME}/figures/${name}.svg)`,
    "",
    `*${markdownText(caption)}*`,
    "",
  ];
  const table = (one) => [
    `## ${one.title}`,
    "",
    markdownTable(one),
    "",
    `*${markdownText(one.caption)}*`,
    "",
  ];
  const text = [
    `# ${REMEDIES_PAGE.title}`,
    "",
    "Ten clients, 1000 rounds of five local Adam steps, five seeds. [Strategies](../strategies.md) run at their defaults, which a grid on",
    "other seeds chose. One task cannot say which strategy helps elsewhere. FedNova is FedAvg here, since all clients take five steps:",
    "what it differs by is round-off that a thousand rounds of training amplify.",
    "",
    ...[axisSummary(axis) ?? "", ...axisFindings(axis)].flatMap((sentence) => [markdownText(sentence), ""]),
    ...figures.flatMap(picture),
    ...errors.flatMap((error) => table(differenceTable(axis, error))),
    ...table(axisTable(axis)),
    "## How to make it again",
    "",
    "```",
    `pde-dirichlet study ${NAME} --out out/${NAME}`,
    `node scripts/deposit.mjs out/${NAME} ${NAME}`,
    "npm run results    # writes this page",
    "```",
    "",
    `[Records](records/${NAME}/records.parquet), and the client of every sample in \`partitions.npz\` beside them.`,
    "",
  ].join("\n");
  return { text, figures: new Map(figures.map(({ name, svg }) => [`${name}.svg`, svg])) };
}
