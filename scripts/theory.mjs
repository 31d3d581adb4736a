/**
 * Writes docs/results/theory.md, with figures and evidence in docs/results/theory, as `pde-dirichlet theory` does.
 * Needs a build; takes about two minutes on two cores. scripts/results.mjs writes page and figures again from the evidence.
 */
import { fileURLToPath } from "node:url";
import { runOptions } from "../dist/federation/run-options.js";
import { writeOutputs } from "../dist/files/disk.js";
import { checkTheory, theoryOutputs } from "../dist/paper/check-theory.js";
import { verdictCounts } from "../dist/paper/theory/page.js";
import { theorySizes } from "../dist/paper/theory/task-sizes.js";
import { THEORY_FILES } from "./theory-files.mjs";

const RESULTS = fileURLToPath(new URL("../docs/results/", import.meta.url));
const task = "antiderivative";

const theory = await checkTheory(runOptions({ task, alpha: 1, seed: 42, ...theorySizes(task, {}) }), {
  onPrediction: (name) => ({
    update: () => undefined,
    finish: ({ findings }) => console.log(`${name}: ${verdictCounts(findings)}`),
  }),
});
await writeOutputs(theoryOutputs(theory, RESULTS, THEORY_FILES), { force: true });
