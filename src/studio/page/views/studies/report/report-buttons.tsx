import { useState } from "preact/hooks";
import { messageOf } from "../../../loadable.js";
import { addressOfRoute } from "../../../server-api.js";
import { settings } from "../../../state.js";
import { reportWritten } from "../state.js";

type Writing =
  | { readonly kind: "idle" | "busy" }
  | { readonly kind: "done" | "failed"; readonly words: string };

/** The report as a page of its own: the one that was written, or one of these runs. Only the last button writes. */
export function ReportButtons() {
  const { study, filter } = settings.value;
  const [writing, setWriting] = useState<Writing>({ kind: "idle" });
  const written = reportWritten.value;
  const write = async () => {
    setWriting({ kind: "busy" });
    try {
      const { files, notices } = await writeReport(study);
      setWriting({
        kind: "done",
        words: [`Written: report.html and ${files - 1} files beside it.`, ...notices].join(" "),
      });
    } catch (error) {
      setWriting({ kind: "failed", words: messageOf(error) });
    }
  };
  return (
    <div class="study-report-buttons">
      {written !== null && (
        <a
          class="plain"
          target="_blank"
          rel="noopener"
          href={addressOfRoute("study/report", { study, saved: "yes" })}
        >
          Open the report of {new Date(written).toLocaleString()}
        </a>
      )}
      <a
        class="plain"
        target="_blank"
        rel="noopener"
        href={addressOfRoute("study/report", { study, filter })}
      >
        {filter === "" ? "Show a report now" : "Show a report on these runs"}
      </a>
      <button type="button" class="plain" disabled={writing.kind === "busy"} onClick={write}>
        Write the report into this folder
      </button>
      <p class="small faint" role="status">
        {writing.kind === "busy" && "Writing report.html, tables and figures. This takes some seconds."}
        {writing.kind === "done" && writing.words}
      </p>
      {writing.kind === "failed" && (
        <p class="notice failed" role="alert">
          {writing.words}
        </p>
      )}
    </div>
  );
}

async function writeReport(
  study: string,
): Promise<{ readonly files: number; readonly notices: readonly string[] }> {
  const answer = await fetch(addressOfRoute("study/write-report"), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ study }),
  });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error ?? `the server answers ${answer.status}`);
  return found;
}
