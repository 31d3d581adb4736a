import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leftOut } from "../dist/analysis/missing-runs.js";
import { resultsMarkdown } from "../dist/analysis/report-markdown.js";
import { reportSubject } from "../dist/analysis/subject.js";
import { composeReport, readRecords } from "../dist/report/write-report.js";
import { runTraces } from "../dist/studies/run-traces.js";

const NAME = "navier-stokes";
const TITLE = "Navier-Stokes among ten clients";
export const NAVIER_STOKES = {
  name: NAME,
  title: TITLE,
  about: "an example from the solver to the report, on two cores and without a download.",
};

/** How `show` draws the samples of the page. */
const SHOW = [
  ...["--inputs", "a", "--responses", "u", "--channels", "none", "--sample", "0", "1", "2"],
  ...["--input-label", "vorticity at t = 0", "--response-label", "vorticity at t = 5"],
  ...["--no-title", "--no-origin"],
];

/** The page about the study of examples/navier-stokes and its figures by file name, from what is recorded of it. */
export async function navierStokesPage(root) {
  const folder = `${root}docs/results/records/${NAME}`;
  const records = await readRecords(folder);
  const traces = await runTraces(folder, [...new Set(records.map(({ run_id }) => run_id))]);
  const subject = reportSubject(records);
  const report = composeReport(subject, {
    title: TITLE,
    absent: leftOut(subject.records, []),
    traces,
    facts: [["Records", `[records/${NAME}](records/${NAME}/records.parquet)`], ...facts(folder, traces)],
    commands: [
      "node examples/navier-stokes/solve.mjs --samples 1200 --out examples/navier-stokes/ns.npz",
      "pde-dirichlet study examples/navier-stokes/study.yaml --out out/navier-stokes",
      "node scripts/deposit-navier-stokes.mjs out/navier-stokes examples/navier-stokes/ns.npz",
      "npm run results    # writes this page",
    ],
  });
  const figures = new Map(report.figures.map(({ name, svg }) => [`${name}.svg`, svg]));
  figures.set("samples.svg", samplesFigure(root, folder));
  const text = resultsMarkdown(report, { figures: `${NAME}/figures` });
  return { text: text.replace("## Figures", [...dataSection(folder), "## Figures"].join("\n")), figures };
}

function samplesFigure(root, folder) {
  const out = mkdtempSync(join(tmpdir(), "pde-dirichlet-"));
  try {
    const path = join(out, "samples.svg");
    const args = [`${root}bin/pde-dirichlet.js`, "show", `${folder}/samples.npz`, ...SHOW, "--out", path];
    execFileSync(process.execPath, args, { stdio: "pipe" });
    return readFileSync(path, "utf8");
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** Where the runs were computed, and how long it took. */
function facts(folder, traces) {
  const runs = traces.map(({ run_id }) =>
    JSON.parse(readFileSync(`${folder}/runs/${run_id}/run.json`, "utf8")),
  );
  const { processor, cores } = runs[0].hardware;
  const start = Math.min(...runs.map(({ started }) => Date.parse(started)));
  const end = Math.max(...runs.map(({ result }) => Date.parse(result.finished)));
  return [
    ["Computed on", `${processor}, ${cores} cores`],
    [
      "Wall-clock time of the study",
      `${((end - start) / 60_000).toFixed(1)} minutes, on cores shared with other work`,
    ],
  ];
}

function dataSection(folder) {
  const { samples, grid, viscosity, time, rows } = JSON.parse(
    readFileSync(`${folder}/convergence.json`, "utf8"),
  );
  const { step, largest_error } = rows[2];
  return [
    "## The data",
    "",
    `The operator maps the vorticity at t = 0 to the vorticity at t = ${time}: two-dimensional incompressible Navier-Stokes on the`,
    `unit torus with viscosity ${viscosity}, the forcing and the random initial vorticity of Li et al. (2021), "Fourier Neural Operator`,
    'for Parametric Partial Differential Equations", section 5.3. The [solver](../../examples/navier-stokes) is pseudo-spectral on',
    `${grid} x ${grid} points. Its relative error for the first ${samples} samples, against twice the points along each axis and a quarter of the`,
    `step ${step}, is at most ${largest_error.toExponential(0)}; half the step has ${rows[3].largest_error.toExponential(0)}, twice the step ${rows[1].largest_error.toExponential(0)}: order 4.`,
    "",
    `![Three samples](${NAME}/figures/samples.svg)`,
    "",
    "*The first three samples, drawn by*",
    "",
    "```",
    "pde-dirichlet show examples/navier-stokes/ns.npz --inputs a --responses u --channels none --sample 0 1 2 \\",
    '  --input-label "vorticity at t = 0" --response-label "vorticity at t = 5" --no-title --no-origin --out samples.svg',
    "```",
    "",
    "1000 samples are split among ten clients, 200 are for testing. The [study](../../examples/navier-stokes/study.yaml) trains an FNO",
    "at four concentrations and with three seeds.",
    "",
  ];
}
