import type { RecordFigure } from "../../../../../analysis/report.js";
import type { Table } from "../../../../../analysis/tables/table.js";
import type { SeedRecord } from "../../../../../records/seed-record.js";
import { addressOfRoute, ask } from "../../../server-api.js";

/** Figures of the report on some runs, drawn by the server one after another. */
export function drawOnServer(
  query: Readonly<Record<string, string>>,
  onFigure: (figure: RecordFigure) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const address = addressOfRoute("study/figures", query);
    const source = new EventSource(address);
    signal.addEventListener("abort", () => {
      source.close();
      reject(signal.reason);
    });
    source.onmessage = ({ data }) => {
      const figure: RecordFigure | null = JSON.parse(data);
      if (figure !== null) return onFigure(figure);
      source.close();
      resolve();
    };
    source.onerror = () => {
      source.close();
      // A stream cannot say why it was refused; the same question asked again can.
      fetch(address, { signal })
        .then(async (answer) => {
          const { error } = answer.ok
            ? { error: "the drawing was interrupted: open this tab again" }
            : await answer.json();
          reject(new Error(error));
        })
        .catch(() => reject(new Error("the studio's server does not answer")));
    };
  });
}

/** The tables of that report. */
export function tablesOnServer(query: Readonly<Record<string, string>>): Promise<readonly Table[]> {
  return ask("study/tables", query);
}

/** The same, made by the page itself. */
export async function tablesInPage(records: readonly SeedRecord[]): Promise<readonly Table[]> {
  const [{ reportTables }, { reportSubject }] = await Promise.all([
    import("../../../../../analysis/tables/report-tables.js"),
    import("../../../../../analysis/subject.js"),
  ]);
  return reportTables(reportSubject(records));
}

/** The figures, drawn by the page itself; between two figures it answers clicks. */
export async function drawInPage(
  records: readonly SeedRecord[],
  onFigure: (figure: RecordFigure) => void,
  signal: AbortSignal,
): Promise<void> {
  const [{ drawReportFigures }, { reportSubject }] = await Promise.all([
    import("../../../../../figures/report-figures.js"),
    import("../../../../../analysis/subject.js"),
  ]);
  for (const figure of drawReportFigures(reportSubject(records))) {
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return;
    onFigure(figure);
  }
}
