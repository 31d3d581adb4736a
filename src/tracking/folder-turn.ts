import { createHash } from "node:crypto";
import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FileError } from "../errors.js";
import { lockFolder } from "../files/folder-lock.js";

/** Where processes that track one folder agree on who sends what, inside that folder. */
export const TURNS = ".tracking";

/**
 * Lets one process at a time send the runs of a folder to one tracker: parts of a study run side by side, and each could
 * send the runs of all. The function that comes back ends the turn; a `FileError` names the process that has it.
 */
export async function takeTurn(folder: string, tracker: string): Promise<() => Promise<void>> {
  const key = createHash("sha256").update(tracker).digest("hex").slice(0, 12);
  const turn = join(folder, TURNS, key);
  const release = await lockFolder(turn).catch((error) => {
    // Somebody else's results can be sent too.
    if (/no permission|read-only/.test(error.message)) return async () => undefined;
    const [, holder] = /is in use by (process \d+(?: on \S+)?)/.exec(error.message) ?? [];
    throw holder === undefined
      ? error
      : new FileError(`${holder} sends the runs of ${folder} there: wait for it`);
  });
  return async () => {
    await release();
    for (const empty of [turn, dirname(turn)]) await rmdir(empty).catch(() => undefined);
  };
}
