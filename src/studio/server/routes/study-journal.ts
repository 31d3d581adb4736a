import { FileError } from "../../../errors.js";
import type { Route } from "../route.js";
import { readRunJournal } from "../studies/run-journal.js";
import { studyFolder } from "../studies/study-folder.js";

/** The journal of one run. */
export const studyJournalRoute: Route = {
  method: "GET",
  path: "study/journal",
  answer: async (question, context) => {
    const folder = await studyFolder(question, context);
    const id = question.query.get("run") ?? "";
    if (id === "" || /[\\/]/.test(id)) throw new FileError(`${JSON.stringify(id)} is no name of a run`);
    return { json: await readRunJournal(folder, id) };
  },
};
