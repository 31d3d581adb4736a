import { createHash } from "node:crypto";
import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FileError } from "../errors.js";
import { FolderInUse, lockFolder } from "../files/lock/folder-lock.js";
import { holderWords } from "../files/lock/holder.js";

/** Where processes that track one folder agree on who sends what, inside that folder. */
export const TURNS = ".tracking";

/**
 * Lets one process at a time send the runs of a folder to one tracker: parts of a study run side by side, and each could
 * send the runs of all. The function that comes back ends the turn; a `FileError` names the process that has it.
 */
export async function takeTurn(folder: string, tracker: string): Promise<() => Promise<void>> {
  const key = createHash("sha256").update(tracker).digest("hex").slice(0, 12);
  const turn = join(folder, TURNS, key);
  const lock = await lockFolder(turn).catch((error) => {
    // Somebody else's results can be sent too.
    if (/no permission|read-only/.test(error.message)) return undefined;
    throw error instanceof FolderInUse
      ? new FileError(`${holderWords(error.holder)} sends the runs of ${folder} there: wait for it`)
      : error;
  });
  return async () => {
    await lock?.release();
    for (const empty of [turn, dirname(turn)]) await rmdir(empty).catch(() => undefined);
  };
}
