import { computed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { escapeHtml, unmarked } from "../../../../../analysis/notation.js";
import type { RecordFigure } from "../../../../../analysis/report.js";
import type { Table } from "../../../../../analysis/tables/table.js";
import { csvTable, latexTable, markdownTable } from "../../../../../analysis/tables/table-formats.js";
import { messageOf } from "../../../loadable.js";
import { Mathematics } from "../../../parts/mathematics.js";
import { Progress } from "../../../parts/status.js";
import { addressOfRoute } from "../../../server-api.js";
import { hasServer, settings } from "../../../state.js";
import { records, selected, standings } from "../state.js";
import { drawInPage, drawOnServer, tablesInPage, tablesOnServer } from "./drawn-figures.js";
import { ReportButtons } from "./report-buttons.js";
import { SortableTable } from "./sortable-table.js";

/** The figures that a report on these runs has, each as a file, and the report itself. */
export function Figures() {
  const { study, filter } = settings.value;
  const [figures, setFigures] = useState<readonly RecordFigure[]>([]);
  const [state, setState] = useState<{ readonly isDone: boolean; readonly failure?: string }>({
    isDone: false,
  });
  const isOnServer = hasServer && study !== "";
  const [drawnRuns, setDrawnRuns] = useState(() => finishedRuns.peek());
  const [tables, setTables] = useState<readonly Table[]>([]);
  useEffect(() => {
    const left = new AbortController();
    setFigures([]);
    setTables([]);
    setState({ isDone: false });
    const add = (figure: RecordFigure) => setFigures((before) => [...before, figure]);
    const drawing = isOnServer
      ? drawOnServer({ study, filter }, add, left.signal)
      : drawInPage(selected.value, add, left.signal);
    const made = drawing.then(async () => {
      const found = isOnServer ? await tablesOnServer({ study, filter }) : await tablesInPage(selected.value);
      if (!left.signal.aborted) setTables(found);
    });
    made.then(
      () => setState({ isDone: true }),
      (error) => left.signal.aborted || setState({ isDone: true, failure: messageOf(error) }),
    );
    return () => left.abort();
  }, [study, filter, isOnServer, drawnRuns]);
  return (
    <div class="study-gallery">
      {isOnServer && <ReportButtons />}
      {finishedRuns.value !== drawnRuns && (
        <p class="notice">
          More runs are finished now.{" "}
          <button type="button" class="study-link" onClick={() => setDrawnRuns(finishedRuns.value)}>
            Draw again
          </button>
        </p>
      )}
      {state.failure !== undefined && (
        <p class="notice failed" role="alert">
          {state.failure}
        </p>
      )}
      {figures.map((figure) => (
        <Sheet key={figure.name} figure={figure} isOnServer={isOnServer} />
      ))}
      {tables.length > 0 && (
        <section aria-label="Tables">
          <h2>Tables</h2>
          {tables.map((table) => (
            <TableSheet key={table.name} table={table} />
          ))}
        </section>
      )}
      {!state.isDone && (
        <Progress
          words={figures.length === 0 ? "Drawing the figures" : "Drawing more figures, then tables"}
        />
      )}
      {state.isDone && figures.length > 0 && !hasServer && (
        <p class="faint small">
          PNG and PDF are made by the studio on your own machine, or by pde-dirichlet report.
        </p>
      )}
    </div>
  );
}

/** How many runs figures are of: those with a result. */
const finishedRuns = computed(() => {
  const known = [...standings.value.values()].filter(({ state }) => state === "finished").length;
  return known > 0 ? known : new Set(records.value.map(({ run_id }) => run_id)).size;
});

function Sheet({ figure, isOnServer }: { readonly figure: RecordFigure; readonly isOnServer: boolean }) {
  const { name, title, caption, svg } = figure;
  const { study, filter } = settings.value;
  const file = (format: string) => addressOfRoute("study/figure", { study, filter, name, format });
  return (
    <figure class="study-sheet">
      <div class="study-sheet-head">
        <h3>
          <Mathematics text={title} />
        </h3>
        {isOnServer ? (
          ["svg", "png", "pdf"].map((format) => (
            <a key={format} class="plain" href={file(format)} download={`${name}.${format}`}>
              {format.toUpperCase()}
            </a>
          ))
        ) : (
          <button type="button" class="plain" onClick={() => save(svg, `${name}.svg`)}>
            SVG
          </button>
        )}
      </div>
      {/* our own serialiser made it, with all text escaped */}
      <div class="study-paper" dangerouslySetInnerHTML={{ __html: inlined(figure) }} />
      <figcaption class="small faint">
        <Mathematics text={caption} />
      </figcaption>
    </figure>
  );
}

/** Several figures of one page may have the same names inside, such as that of a colour scale. */
function inlined({ svg, name, title }: RecordFigure): string {
  const own = `figure-${name}-`;
  return svg
    .replace(/<title>.*?<\/title>\n?\s*/, "") // it would pop up over every panel
    .replace(/\sid="/g, (start) => start + own)
    .replaceAll("url(#", `url(#${own}`)
    .replace(/<svg\b/, `<svg aria-label="${escapeHtml(unmarked(title))}"`);
}

const FORMATS = [
  { name: "CSV", ending: "csv", write: csvTable },
  { name: "LaTeX", ending: "tex", write: latexTable },
  { name: "Markdown", ending: "md", write: (table: Table) => markdownTable(table) },
] as const;

/** A table under its title, to open or to take away. */
function TableSheet({ table }: { readonly table: Table }) {
  return (
    <details class="study-table-sheet">
      <summary>
        <Mathematics text={table.title} />
      </summary>
      <SortableTable table={table}>
        {FORMATS.map(({ name, ending, write }) => (
          <button
            key={name}
            type="button"
            class="plain"
            onClick={() => save(write(table), `${table.name}.${ending}`)}
          >
            {name}
          </button>
        ))}
      </SortableTable>
    </details>
  );
}

function save(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text]));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
