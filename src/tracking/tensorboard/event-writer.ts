import { type FileHandle, open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileError, makeFolder } from "../../files/disk.js";
import { eventFiles, nextName } from "./event-files.js";
import { versionEvent } from "./events.js";
import { frame } from "./record-file.js";

/** An event file that is written to; a file that has been closed is never opened again. */
export class EventWriter {
  private constructor(
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  /** Begins a file in a run's folder. */
  static async open(folder: string, writer: string, suffix?: string): Promise<EventWriter> {
    let path = folder;
    try {
      await makeFolder(resolve(folder));
      path = join(folder, nextName(await eventFiles(folder), suffix));
      const events = new EventWriter(path, await open(path, "wx"));
      await events.write([versionEvent(Date.now(), writer)]);
      return events;
    } catch (error) {
      throw fileError(error, path, "write");
    }
  }

  /** Appends events by one write. A crash leaves at most one half record, which readers ignore. */
  async write(events: readonly Uint8Array[]): Promise<void> {
    try {
      await this.handle.appendFile(Buffer.concat(events.map(frame)));
    } catch (error) {
      throw fileError(error, this.path, "write");
    }
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
