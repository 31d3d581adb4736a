import type { Question, StudioContext } from "../route.js";
import type { StudyContent } from "./study-content.js";
import { studyFolder } from "./study-folder.js";

/** The content of a report on the runs that a question is about. Drawing is loaded when it is asked for first. */
export async function loadContent(
  question: Pick<Question, "query">,
  context: StudioContext,
): Promise<StudyContent> {
  const folder = await studyFolder(question, context);
  const { studyContent } = await import("./study-content.js");
  return studyContent(folder, question.query.get("filter") ?? "", await context.additions?.());
}
