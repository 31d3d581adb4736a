import { Command } from "commander";
import { DEFAULT_STRATEGY } from "../federation/strategies/strategies.js";
import { type RunStatus, studyStatus } from "../studies/status.js";
import { type CommonOptions, withCommonOptions } from "./options/arguments.js";
import { percent } from "./percent.js";
import { textTable } from "./table.js";
import { warn } from "./warning.js";

export function statusCommand(): Command {
  const command = new Command("status")
    .summary("show the progress of the studies in a folder")
    .description("Show the progress of the studies in a folder. They may be running meanwhile.")
    .argument("<folder>", "the --out folder of `study`")
    .action(statusAction);
  return withCommonOptions(command, "pde-dirichlet status out/quickstart");
}

async function statusAction(folder: string, { json }: CommonOptions): Promise<void> {
  const status = await studyStatus(folder);
  if (json) {
    console.log(JSON.stringify(status));
    return;
  }
  const { studies, runs, problems, worked_on_by: worker } = status;
  console.log(countTable(runs));
  const begun = runs.filter(({ state }) => state === "begun");
  for (const { id, round, rounds, test_error } of begun) {
    const error = test_error === null ? "" : `, test error ${percent(test_error, 2)}`;
    console.log(`${id}: last checkpoint at round ${round} of ${rounds}${error}`);
  }
  for (const { id, failure } of runs) if (failure !== null) console.log(`${id}: ${failure}`);
  for (const problem of problems) warn(problem);
  const finished = runs.filter(({ state }) => state === "finished").length;
  const who = worker ? `process ${worker.pid} on ${worker.host} is running` : "no process is running";
  console.log(`${studies.join(", ")}: ${finished} of ${runs.length} runs finished; ${who}`);
}

/** How many runs of every data have come how far, apart by how they train where that differs. */
function countTable(runs: readonly RunStatus[]): string {
  const states = ["finished", "begun", "waiting", "failed"] as const;
  const isVaried = new Set(runs.map(({ training }) => training)).size > 1;
  const rowOf = ({ task, training }: RunStatus) =>
    isVaried ? [task, training === "" ? DEFAULT_STRATEGY : training] : [task];
  const heads = new Map(runs.map((run) => [rowOf(run).join("\n"), rowOf(run)]));
  const rows = [...heads].map(([key, head]) => {
    const own = runs.filter((run) => rowOf(run).join("\n") === key);
    return [...head, ...states.map((state) => String(own.filter((run) => run.state === state).length))];
  });
  const columns = isVaried ? ["task", "training"] : ["task"];
  return textTable([...columns, ...states], rows, isVaried ? ["left", "left"] : ["left"]);
}
