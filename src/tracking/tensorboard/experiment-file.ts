import { rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileError, makeFolder } from "../../files/disk.js";
import type { SettingValue } from "../../records/settings.js";
import { eventFiles, nextName, readEvents } from "./event-files.js";
import { pluginEvent, versionEvent } from "./events.js";
import {
  EXPERIMENT_TAG,
  experimentData,
  HPARAMS,
  type HyperParameter,
  readExperiment,
  TEXT_TYPE,
  typeOf,
} from "./hparams.js";
import { CUSTOM_SCALARS, LAYOUT_TAG, layoutData } from "./layout.js";
import { frame } from "./record-file.js";

/** What the file at the top of the folder is called, behind its time. */
const SUFFIX = ".experiment";
const WRITER = "pde-dirichlet";

/**
 * The event file at the top of a folder, which is what TensorBoard calls the root run: the columns of its table of runs, and
 * the layout of the custom scalars. TensorBoard takes the first of each, so that there is one file, replaced as
 * columns are added.
 */
export class ExperimentFile {
  readonly #values = new Map<string, SettingValue>();

  private constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly columns: Map<string, HyperParameter>,
    private isWritten: boolean,
  ) {}

  static async open(folder: string, name: string): Promise<ExperimentFile> {
    const columns = new Map<string, HyperParameter>();
    const own = await ownFiles(folder);
    for (const file of own)
      for (const { tags } of await readEvents(join(folder, file)))
        for (const [key, column] of readExperiment(tags.get(EXPERIMENT_TAG) ?? new Uint8Array()))
          columns.set(key, column);
    return new ExperimentFile(folder, name, columns, own.length === 1);
  }

  /** Adds the settings of a run to the columns, and writes the file where they are new. */
  async add(params: Readonly<Record<string, SettingValue>>): Promise<void> {
    let isNew = !this.isWritten;
    for (const [name, value] of Object.entries(params)) {
      const known = this.columns.get(name);
      const isOther = known !== undefined && known.type !== typeOf(value);
      const column = {
        type: isOther ? TEXT_TYPE : typeOf(value),
        differs: isOther || known?.differs || (this.#values.has(name) && this.#values.get(name) !== value),
      };
      this.#values.set(name, value);
      if (known?.type === column.type && known.differs === column.differs) continue;
      this.columns.set(name, column);
      isNew = true;
    }
    if (isNew) await this.write();
  }

  private async write(): Promise<void> {
    const { folder } = this;
    const now = Date.now();
    const content = experimentData(this.name, this.columns);
    const events = [
      versionEvent(now, WRITER),
      pluginEvent(now, EXPERIMENT_TAG, HPARAMS, { content }),
      pluginEvent(now, LAYOUT_TAG, CUSTOM_SCALARS, { string: layoutData() }),
    ];
    try {
      await makeFolder(resolve(folder));
      const before = await ownFiles(folder);
      const path = join(folder, nextName(await eventFiles(folder), SUFFIX));
      const temporary = join(folder, `.${process.pid}.experiment.tmp`);
      await writeFile(temporary, Buffer.concat(events.map(frame)));
      await rename(temporary, path);
      for (const file of before) await rm(join(folder, file), { force: true });
      this.isWritten = true;
    } catch (error) {
      throw fileError(error, folder, "write");
    }
  }
}

async function ownFiles(folder: string): Promise<string[]> {
  return (await eventFiles(folder)).filter((name) => name.endsWith(SUFFIX));
}
