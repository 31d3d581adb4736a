import type { Route } from "../route.js";
import { loadContent } from "../studies/load-content.js";

/** The tables of the report on the runs that pass a filter. */
export const studyTablesRoute: Route = {
  method: "GET",
  path: "study/tables",
  answer: async (question, context) => {
    const { tables } = await loadContent(question, context);
    return { json: tables() };
  },
};
