import { Mathematics } from "../../parts/mathematics.js";
import { Setting } from "../../parts/settings.js";
import { change, hasServer } from "../../state.js";
import { FilterChips } from "./filter-chips.js";
import { along, alongs, checkpoint, checkpoints, measure, measures, records } from "./state.js";
import { StudyChooser } from "./study-chooser.js";
import { TableFile } from "./table-file.js";
import { STUDIES_WORDS } from "./words.js";

/** Which study, what of it, and which of its runs. */
export function StudySide() {
  return (
    <>
      {hasServer && <StudyChooser />}
      {records.value.length > 0 && (
        <>
          <AlongChoice />
          <MeasureChoice />
          <CheckpointChoice />
          <FilterChips />
        </>
      )}
      <TableFile />
    </>
  );
}

function AlongChoice() {
  return (
    <Setting term="study_along">
      <select
        aria-label="Compare along"
        value={along.value?.name}
        onChange={({ currentTarget }) => change({ along: currentTarget.value })}
      >
        {alongs.value.map(({ name, title }) => (
          <option key={name} value={name}>
            {name === "alpha" ? "α, the concentration" : title}
          </option>
        ))}
      </select>
    </Setting>
  );
}

function MeasureChoice() {
  const chosen = measure.value;
  if (!chosen) return null;
  return (
    <Setting term="study_measure" value={<Mathematics text={chosen.unit} />}>
      <select
        aria-label="Measure"
        value={chosen.name}
        onChange={({ currentTarget }) => change({ metric: currentTarget.value })}
      >
        {measures.value.map(({ name, term }) => (
          <option key={name} value={name}>
            {plainLabel(STUDIES_WORDS[term].label)}
          </option>
        ))}
      </select>
    </Setting>
  );
}

/** A list has no subscripts: `D_sol` stays readable as it is written, `H_g^norm` less so. */
const plainLabel = (label: string): string => label.replace("^norm", ", normalised").replace("W_1", "W1");

function CheckpointChoice() {
  return (
    <Setting term="study_checkpoint">
      <select
        aria-label="At round"
        value={String(checkpoint.value)}
        onChange={({ currentTarget }) => change({ checkpoint: currentTarget.value })}
      >
        <option value="last">the last one</option>
        <option value="all">the last one; all in the table</option>
        {checkpoints.value.map((round) => (
          <option key={round} value={String(round)}>
            {round}
          </option>
        ))}
      </select>
    </Setting>
  );
}
