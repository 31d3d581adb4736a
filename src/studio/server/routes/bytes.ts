import { open } from "node:fs/promises";
import { FileError } from "../../../errors.js";
import { inside } from "../inside.js";
import type { Route } from "../route.js";

/** Bytes of one answer at most: a reader asks for more by several requests. */
export const MOST_BYTES = 1 << 24;

/** Bytes `from` to `to - 1` of a file below the folder that is open. */
export const bytesRoute: Route = {
  method: "GET",
  path: "bytes",
  answer: async ({ query }, { folder }) => {
    if (folder === undefined)
      throw new FileError("no folder is open: start the studio with a file or a folder");
    const path = query.get("path") ?? "";
    const [from, to] = ["from", "to"].map((name) => wholeNumber(query.get(name)));
    if (from === undefined || to === undefined || from > to || to - from > MOST_BYTES)
      throw new FileError(`ask for bytes from=... to=..., ${MOST_BYTES} at most`);
    const file = await open(await inside(folder, path), "r");
    try {
      const status = await file.stat();
      if (!status.isFile()) throw new FileError(`${JSON.stringify(path)} is not a file`);
      const bytes = new Uint8Array(to - from);
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, from + filled);
        if (bytesRead === 0)
          throw new FileError(`${JSON.stringify(path)} ends at byte ${status.size}: it became shorter`);
        filled += bytesRead;
      }
      return { bytes, type: "application/octet-stream" };
    } finally {
      await file.close();
    }
  },
};

const wholeNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
