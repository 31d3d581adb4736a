import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { reportPage } from "../../../analysis/report-page.js";
import { FileError } from "../../../errors.js";
import type { Route } from "../route.js";
import { loadContent } from "../studies/load-content.js";
import { studyFolder } from "../studies/study-folder.js";

/** The report that lies in the folder (`saved`), or one on the runs that pass a filter, made in memory. */
export const studyReportRoute: Route = {
  method: "GET",
  path: "study/report",
  answer: async (question, context) => {
    const folder = await studyFolder(question, context);
    if (question.query.has("saved")) {
      const html = await readFile(join(folder, "report.html"), "utf8").catch(() => undefined);
      if (html === undefined) throw new FileError("there is no report.html in this folder");
      return { html };
    }
    const { report } = await loadContent(question, context);
    return { html: reportPage(report()) };
  },
};
