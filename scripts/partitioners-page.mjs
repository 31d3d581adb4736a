import { summarise } from "../dist/analysis/observations.js";
import { familyOf } from "../dist/analysis/splits.js";
import { spearman } from "../dist/analysis/statistics.js";
import { reportSubject } from "../dist/analysis/subject.js";
import { splitsTable } from "../dist/analysis/tables/splits-table.js";
import { markdownTable, markdownText } from "../dist/analysis/tables/table-formats.js";
import { splitsFigure } from "../dist/figures/partitions/splits.js";
import { readRecords } from "../dist/report/write-report.js";

const NAME = "partitioners";
export const PARTITIONERS_PAGE = {
  name: NAME,
  title: "Ways of splitting the same data",
  about:
    "every partitioner on Burgers and Darcy flow: what it does to solutions, inputs, sizes and first gradients.",
};
/** Errors after the single round of this study tell nothing. */
const SHOWN = /^(Data|Split|D_sol|Floor|Input W_1|CV_n|H_g\^norm|Seeds)$/;

/** The page about the bundled study of partitioners and its figure by file name, from its records. */
export async function partitionersPage(root) {
  const subject = reportSubject(await readRecords(`${root}docs/results/records/${NAME}`));
  const figure = splitsFigure(subject);
  const text = [
    `# ${PARTITIONERS_PAGE.title}`,
    "",
    "Every row is one way of splitting the same samples among ten clients, with five seeds. [What each partitioner",
    "does](../partitions.md#partitioners). `file` repeats a split that exists and has no row. Gradients are compared at the shared",
    "initial model, so the study trains for one round only.",
    "",
    `![${figure.title}](${NAME}/figures/${figure.name}.svg)`,
    "",
    `*${markdownText(figure.caption.replace(/ Runs have .*$/, ""))}*`,
    "",
    "## What the numbers say",
    "",
    ...subject.splits.flatMap((group) => [`**${group.title}.** ${sentences(group).join(" ")}`, ""]),
    "## All splits",
    "",
    markdownTable(withShownColumns(splitsTable(subject))),
    "",
    "*Means over seeds with sample standard deviations in parentheses. The floor is D_sol of IID splits into clients of the same sizes.*",
    "",
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
  return { text, figures: new Map([[`${figure.name}.svg`, figure.svg]]) };
}

function withShownColumns(table) {
  const shown = table.columns.map(({ heading }) => SHOWN.test(heading));
  const of = (list) => list.filter((_, i) => shown[i]);
  return { ...table, columns: of(table.columns), groups: table.groups.map((rows) => rows.map(of)) };
}

/** What holds of the splits of one data, with the numbers behind it. */
function sentences({ splits }) {
  const mean = (split, name) => summarise(split.final.map((record) => record[name])).mean;
  const columns = (name) => splits.map((split) => mean(split, name));
  const floors = columns("d_sol_floor");
  const above = columns("d_sol").map((distance, i) => distance - floors[i]);
  const gradients = columns("h_g_norm");
  const rank = (values) => spearman(values, gradients).toFixed(2);
  const blind = splits.filter((split) => ["iid", "sizes"].includes(familyOf(split)));
  const ratios = blind.map((split) => mean(split, "d_sol") / mean(split, "d_sol_floor"));
  const severest = splits.reduce((a, b) => (mean(a, "d_sol") > mean(b, "d_sol") ? a : b));
  const at = (family) =>
    splits.filter((split) => familyOf(split) === family).reduce((a, b) => (a.alpha < b.alpha ? a : b));
  const [both, alone] = [at("dirichlet"), at("client-dirichlet")];
  return [
    `Splits that ignore the solutions (\`iid\`, \`sizes\`) have ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} times their floor.`,
    `The severest is ${severest.label}: D_sol ${mean(severest, "d_sol").toFixed(2)}, ${(mean(severest, "d_sol") / mean(severest, "d_sol_floor")).toFixed(1)} times its floor.`,
    `At α = ${both.alpha}, clients of equal sizes (\`client-dirichlet\`) have D_sol ${mean(alone, "d_sol").toFixed(2)} and gradient`,
    `dissimilarity ${mean(alone, "h_g_norm").toPrecision(2)}; the paper's draw, whose sizes vary too, has ${mean(both, "d_sol").toFixed(2)} and ${mean(both, "h_g_norm").toPrecision(2)}.`,
    `Over the ${splits.length} splits, the rank correlation with the dissimilarity of the first gradients is ${rank(columns("d_sol"))} for D_sol,`,
    `${rank(above)} for D_sol above its floor, ${rank(columns("input_w1"))} for input W1 and ${rank(columns("cv_n"))} for the variation of sizes.`,
  ];
}
