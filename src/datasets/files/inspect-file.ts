import { DISK } from "../../files/store/disk.js";
import type { FileChoice } from "./file-data.js";
import { type Inspection, inspection } from "./inspection.js";

export type { InspectedArray, Inspection } from "./inspection.js";

/** Looks into a file of arrays on disk, or into several as one. No sample is read. */
export const inspectFile = (path: string, choice?: FileChoice): Promise<Inspection> =>
  inspection(DISK, path, choice);
