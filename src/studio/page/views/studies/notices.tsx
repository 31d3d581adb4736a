import { settings } from "../../state.js";
import { connection, problems, table, tableProblem } from "./state.js";

/** What somebody should know who looks at a study: that it is gone, that nobody answers, that a file cannot be read. */
export function Notices() {
  const { study } = settings.value;
  return (
    <>
      {connection.value === "lost" && (
        <p class="notice warning" role="status">
          The studio's server does not answer. What you see is what it said last. The page tries again every
          two seconds; if the server was ended, start it again and open the address that it prints.
        </p>
      )}
      {connection.value === "gone" && (
        <p class="notice warning" role="status">
          The folder <code>{study}</code> is not there: it was moved, deleted, or never written. The page
          shows it as soon as it comes back. Meanwhile you can choose another study.
        </p>
      )}
      {table.value.kind === "failed" && connection.value !== "gone" && (
        <p class="notice failed" role="alert">
          {table.value.message}.{" "}
          {connection.value === "open" &&
            "What the folders of the runs say is shown instead, without D_theta. Write the report to make the table again."}
        </p>
      )}
      {tableProblem.value !== undefined && <p class="notice warning">{tableProblem.value}</p>}
      {problems.value.length > 0 && <Problems lines={problems.value} />}
    </>
  );
}

/** More lines than these are folded. */
const [FOLDED, MOST] = [2, 30];

function Problems({ lines }: { readonly lines: readonly string[] }) {
  const list = (
    <ul class="study-unreadable">
      {lines.slice(0, MOST).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
  if (lines.length <= FOLDED) return <div class="notice warning">Not everything can be read: {list}</div>;
  return (
    <details class="notice warning">
      <summary>{lines.length} files cannot be read in full</summary>
      {list}
    </details>
  );
}
