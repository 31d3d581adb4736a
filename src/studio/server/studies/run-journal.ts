import { join } from "node:path";
import { FileError } from "../../../errors.js";
import { lockHolder } from "../../../files/lock/folder-lock.js";
import { failureWords, readFailure } from "../../../records/run-failure.js";
import { isFinished, RUN_FILES, readRunRecord, runFolder } from "../../../records/run-folder.js";
import type { RunRecord } from "../../../records/run-record.js";
import { settingsOf } from "../../../records/settings.js";
import type { SentJournal } from "../../study/study-events.js";
import { NO_LINES, readOn } from "./journal-tail.js";

/** What lies in the folder of a run: its record and every checkpoint, as far as they can be read. */
export async function readRunJournal(study: string, id: string): Promise<SentJournal> {
  const folder = runFolder(study, id);
  const record = await readRunRecord(folder);
  const tail = await readOn(join(folder, RUN_FILES.journal), NO_LINES).catch(() => undefined);
  if (!record && !tail)
    throw new FileError(`run ${id} has no folder here: it lies elsewhere, or it was not begun`);
  const failure = isFinished(record) ? undefined : await readFailure(folder);
  const isRunning = (await lockHolder(folder)) !== undefined;
  return {
    id,
    state: isFinished(record) ? "finished" : failure ? "failed" : isRunning ? "running" : "stopped",
    ...(failure && { failure: failureWords(failure) }),
    ...(record?.data.title !== undefined && { title: record.data.title }),
    ...(record ? settingsOf(record) : { settings: {}, overrides: [] }),
    facts: record ? factsOf(record) : [],
    lines: (tail?.lines ?? []).map(({ round, test_error, train_loss, d_loc, clients }) => ({
      ...{ round, test_error, train_loss, d_loc },
      ...(clients && { clients: clients.test_error }),
    })),
    broken: tail?.broken ?? [],
  };
}

function factsOf({
  started,
  result,
  hardware,
  partition,
  options,
  made_with,
}: RunRecord): SentJournal["facts"] {
  const device = hardware.gpu ?? hardware.processor;
  const { sizes, repairs } = partition;
  return [
    ["Rounds", String(options.rounds)],
    ["Clients", `${sizes.length}, of ${Math.min(...sizes)} to ${Math.max(...sizes)} samples`],
    ...(repairs > 0 ? [["Moved by repair", `${repairs} samples`] as const] : []),
    ["Begun", momentWords(started)],
    ...(result
      ? [
          ["Finished", momentWords(result.finished)] as const,
          [
            "Trained for",
            `${result.seconds < 100 ? result.seconds.toFixed(1) : Math.round(result.seconds)} s`,
          ] as const,
        ]
      : []),
    ...(device === undefined ? [] : [["On", String(device)] as const]),
    ["By", `${made_with.name} ${made_with.version}`],
  ];
}

/** `2026-11-19 03:48 UTC`. */
const momentWords = (moment: string): string => `${moment.slice(0, 16).replace("T", " ")} UTC`;
