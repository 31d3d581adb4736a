import { useEffect, useState } from "preact/hooks";
import { hasServer, type ListedFile, listedFiles, ownFiles } from "../../given-files.js";
import { SelectField } from "../../parts/fields.js";
import { change, settings } from "../../state.js";
import { sizeInWords } from "./file-arrays.js";
import { OpenFile } from "./open-file.js";
import { ReadingFields } from "./reading-fields.js";
import { ANOTHER_DATASET } from "./side.js";
import { inspected } from "./state.js";
import { DATA_WORDS } from "./words.js";

/** A file, and how it is read. */
export function FileSide() {
  const { file } = settings.value;
  const open = (chosen: string) => change({ ...ANOTHER_DATASET, task: "", file: chosen, reading: {} });
  return (
    <div class="group">
      {file !== "" && <OpenFile isSmall />}
      <OwnFiles open={open} />
      {hasServer && <ServerFiles open={open} />}
      {file !== "" && inspected.value.kind !== "failed" && <ReadingFields key={file} />}
    </div>
  );
}

interface OpenProps {
  readonly open: (file: string) => void;
}

/** Several files that were given: one of them, or all as one dataset. */
function OwnFiles({ open }: OpenProps) {
  const names = ownFiles.value.map(({ name }) => name);
  if (names.length < 2) return null;
  const all = names.join(",");
  return (
    <SelectField
      entry={DATA_WORDS.file}
      value={settings.value.file}
      onChange={open}
      values={[
        ...names.map((name) => ({ value: name, words: name })),
        { value: all, words: `all ${names.length} as one dataset` },
      ]}
    />
  );
}

/** Files below the folder that the command opened. */
function ServerFiles({ open }: OpenProps) {
  const [files, setFiles] = useState<readonly ListedFile[]>([]);
  useEffect(() => {
    listedFiles().then(setFiles, () => {}); // a list is an offer: without it files are dropped or named
  }, []);
  const { file } = settings.value;
  if (files.length === 0) return null;
  const isListed = files.some(({ path }) => path === file);
  return (
    <SelectField
      entry={DATA_WORDS.server_file}
      value={isListed ? file : ""}
      onChange={(chosen) => chosen !== "" && open(chosen)}
      values={[
        ...(isListed ? [] : [{ value: "", words: "choose a file" }]),
        ...files.map(({ path, size }) => ({ value: path, words: `${path} (${sizeInWords(size)})` })),
      ]}
    />
  );
}
