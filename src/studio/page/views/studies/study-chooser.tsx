import { useEffect } from "preact/hooks";
import type { FoundStudy } from "../../../study/study-events.js";
import { presentOf } from "../../loadable.js";
import { Setting } from "../../parts/settings.js";
import { settings } from "../../state.js";
import { findStudies, found, openStudy, ownFile } from "./state.js";

/** The studies below the folder that is open. They are looked for again when the page comes to the front. */
export function StudyChooser() {
  useEffect(() => {
    findStudies();
    const again = () => document.visibilityState === "visible" && findStudies();
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, []);
  const isEmpty = presentOf(found.value)?.length === 0;
  useEffect(() => {
    if (!isEmpty) return;
    const timer = setInterval(findStudies, 3000); // the first one may be written now
    return () => clearInterval(timer);
  }, [isEmpty]);
  const list = presentOf(found.value) ?? [];
  const { study } = settings.value;
  const isListed = list.some(({ path }) => path === study);
  return (
    <Setting term="study" value={list.length > 1 ? `${list.length} found` : undefined}>
      <select
        aria-label="Study"
        value={ownFile.value === undefined ? study : ""}
        disabled={list.length === 0 && study === ""}
        onChange={({ currentTarget }) => openStudy(currentTarget.value)}
      >
        {(study === "" || ownFile.value !== undefined) && (
          <option value="">{ownFile.value ?? (list.length === 0 ? "none found" : "choose one")}</option>
        )}
        {study !== "" && !isListed && <option value={study}>{study}</option>}
        {list.map((one) => (
          <option key={one.path} value={one.path}>
            {studyWords(one)}
          </option>
        ))}
      </select>
    </Setting>
  );
}

function studyWords({ path, title, names, isWorkedOn }: FoundStudy): string {
  const own = path === "." ? (title ?? names.join(", ")) || "this folder" : path;
  return isWorkedOn ? `${own} (at work)` : own;
}
