import { EARLIER_TASKS } from "../records/earlier-defaults.js";
import type { SurveyAdditions, Surveyed } from "../report/survey-outputs.js";
import { PAPER } from "./published.js";
import { styleOf } from "./task-styles.js";
import { titleOf } from "./titles.js";

/** What the paper adds to a survey: its values where partitions are made as it makes them. */
export function surveyAdditions(
  tasks: readonly string[],
  surveyed: Pick<Surveyed, "clients" | "bins" | "minSize" | "repair">,
): SurveyAdditions {
  return { titleOf, styleOf, ...(isPapers(tasks, surveyed) && { published: PAPER }) };
}

function isPapers(
  tasks: readonly string[],
  { clients, bins, minSize, repair }: Pick<Surveyed, "clients" | "bins" | "minSize" | "repair">,
): boolean {
  return tasks.every((task) => {
    const usual = EARLIER_TASKS[task]?.settings;
    return (
      clients === usual?.clients &&
      bins === usual.bins &&
      repair === usual.repair &&
      (minSize === undefined || minSize === usual.min_size)
    );
  });
}
