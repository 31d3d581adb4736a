import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileError } from "../../../files/disk.js";
import { RECORDS_CSV, RECORDS_PARQUET } from "../../../studies/record-files.js";
import { NothingThere } from "../inside.js";
import type { Route } from "../route.js";
import { studyFolder } from "../studies/study-folder.js";

/**
 * The seed-level table of a study as it lies in its folder: `records.parquet`, or `records.csv` where that is asked for. No
 * bytes where there is none yet.
 */
export const studyTableRoute: Route = {
  method: "GET",
  path: "study/table",
  answer: async (question, context) => {
    const isCsv = question.query.get("format") === "csv";
    const name = isCsv ? RECORDS_CSV : RECORDS_PARQUET;
    const bytes = await studyFolder(question, context)
      .then((folder) => readFile(join(folder, name)))
      .catch((error) => {
        if (error instanceof NothingThere || error.code === "ENOENT") return new Uint8Array();
        throw fileError(error, name, "read");
      });
    return { bytes, type: isCsv ? "text/csv; charset=utf-8" : "application/vnd.apache.parquet" };
  },
};
