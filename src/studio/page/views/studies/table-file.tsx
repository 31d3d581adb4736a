import { useState } from "preact/hooks";
import { openTable, records } from "./state.js";

/** A table of one's own: dropped, or chosen by a button. It is read in the page. */
export function TableFile() {
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    const [file] = files ?? [];
    if (file) openTable(file);
  };
  return (
    <label
      class={`study-table-file ${isOver ? "over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <input
        type="file"
        class="visually-hidden"
        accept=".parquet,.csv"
        aria-label="Open records.parquet or records.csv"
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          currentTarget.value = "";
        }}
      />
      <span class="study-plain-button">
        {records.value.length > 0 ? "Open another table" : "Open a table"}
      </span>
      <span class="faint small">
        Drop records.parquet or records.csv here. It is read in this page and sent nowhere.
      </span>
    </label>
  );
}
