import { z } from "zod";
import { refreshRecords } from "../../../studies/collect-records.js";
import { studyFacts } from "../../../studies/study-facts.js";
import { BadRequest } from "../body.js";
import { inside } from "../inside.js";
import type { Route } from "../route.js";
import { openFolder } from "../studies/study-folder.js";

const asked = z.object({ study: z.string() });

/** Writes the report into the folder of a study, as the command `report` does. */
export const writeReportRoute: Route = {
  method: "POST",
  path: "study/write-report",
  answer: async ({ body }, context) => {
    const { data } = asked.safeParse(body);
    if (!data) throw new BadRequest(400, 'the body is {"study": "path"}');
    const folder = await inside(openFolder(context), data.study);
    // Drawing is loaded when it is asked for first.
    const { notEmpty, writeReport } = await import("../../../report/write-report.js");
    const notices: string[] = [];
    const records = await refreshRecords(folder, (notice) => notices.push(notice));
    const { files } = await writeReport(folder, {
      ...(await studyFacts(folder)),
      records: await notEmpty(records, folder),
      additions: await context.additions?.(),
    });
    return { json: { files: files.length, notices } };
  },
};
