import { presentOf } from "../../loadable.js";
import { Status } from "../../parts/status.js";
import { hasServer, settings } from "../../state.js";
import { connection, found, problems, table } from "./state.js";

/** What there is to do where no study is to be seen. */
export function EmptyStudies() {
  const isSaid = connection.value === "gone" || table.value.kind === "failed" || problems.value.length > 0;
  if (isSaid) return null;
  if (!hasServer)
    return (
      <div class="study-empty">
        <h2>Look at results</h2>
        <p>
          Open the <code>records.parquet</code> or <code>records.csv</code> that a study has written, by the
          button at the left or by dropping it there. This page compares its runs; nothing is sent anywhere.
        </p>
        <p class="faint">
          To follow a study that is being written, start the studio beside it:{" "}
          <code>pde-dirichlet studio out</code>
        </p>
      </div>
    );
  const list = presentOf(found.value);
  if (list === undefined)
    return (
      <Status of={found.value} empty="">
        {() => null}
      </Status>
    );
  if (list.length > 0 && settings.value.study !== "")
    return <p class="notice">This folder holds no runs and no table. Choose another study at the left.</p>;
  if (list.length > 0) return <p class="notice">Choose a study at the left.</p>;
  return (
    <div class="study-empty">
      <h2>There is no study here yet</h2>
      <p>This writes one, in a minute or so; the page shows it as soon as its folder appears:</p>
      <pre>pde-dirichlet study quickstart --out out/quickstart</pre>
      <p class="faint">
        Start the studio with the folder that studies are written to: <code>pde-dirichlet studio out</code>
      </p>
    </div>
  );
}
