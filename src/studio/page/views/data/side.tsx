import { DEFAULT_SETTINGS } from "../../../settings.js";
import { Switch } from "../../parts/fields.js";
import { change, settings } from "../../state.js";
import { FileSide } from "./file-side.js";
import { PictureSide } from "./picture-side.js";
import { TaskSide } from "./task-side.js";

/** What can be set in the view of data: where they come from, and what is drawn of them. */
export function DataSide() {
  const isFile = settings.value.task === "";
  return (
    <>
      <Switch
        label="Where the data come from"
        value={isFile ? "file" : "task"}
        onChange={(from) => chooseFrom(from)}
        values={[
          { value: "task", words: "Built-in task" },
          { value: "file", words: "File" },
        ]}
      />
      {isFile ? <FileSide /> : <TaskSide />}
      <PictureSide />
    </>
  );
}

const { sample, half, channel, frame, slice, task } = DEFAULT_SETTINGS;

/** What is said of one dataset means nothing for another one. */
export const ANOTHER_DATASET = { sample, half, channel, frame, slice } as const;

function chooseFrom(from: "task" | "file"): void {
  if (from === "task") change({ ...ANOTHER_DATASET, task, file: "", reading: {} });
  else change({ ...ANOTHER_DATASET, task: "", file: "", parameters: {} });
}
