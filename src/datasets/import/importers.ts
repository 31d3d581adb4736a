import { OptionError } from "../../errors.js";
import { type CfdbenchCylinderOptions, openCfdbenchCylinder } from "./cfdbench-cylinder.js";
import { type OpenFwiOptions, openOpenFwi } from "./openfwi.js";
import { openPdebenchDamBreak, type PdebenchDamBreakOptions } from "./pdebench-dam-break.js";
import { openPdebenchDarcy, type PdebenchDarcyOptions } from "./pdebench-darcy.js";
import type { PublicData } from "./public-data.js";

/** Options of all importers; each takes those that its entry names. */
export type ImporterOptions = PdebenchDarcyOptions &
  PdebenchDamBreakOptions &
  CfdbenchCylinderOptions &
  OpenFwiOptions;

export interface Importer {
  /** The files as they are downloaded, for the help. */
  readonly describe: string;
  /** Sample counts of the paper. */
  readonly train: number;
  readonly test: number;
  readonly options: readonly (keyof ImporterOptions)[];
  open(paths: readonly string[], options: ImporterOptions): Promise<PublicData>;
}

export type ImportFormat = "pdebench-darcy" | "pdebench-dam-break" | "cfdbench-cylinder" | "openfwi";

export const IMPORTERS: Readonly<Record<ImportFormat, Importer>> = {
  "pdebench-darcy": {
    describe: "2D_DarcyFlow_beta1.0_Train.hdf5, for any beta",
    train: 800,
    test: 200,
    options: ["grid"],
    open: openPdebenchDarcy,
  },
  "pdebench-dam-break": {
    describe: "2D_rdb_NA_NA.h5",
    train: 800,
    test: 100,
    options: ["grid", "inputFrame", "inputFrames", "targetFrame"],
    open: openPdebenchDamBreak,
  },
  "cfdbench-cylinder": {
    describe: "cylinder/{bc,geo,prop}, zipped or as folders",
    train: 80,
    test: 20,
    options: ["inputFrame", "targetFrame", "timeStep", "skipShort"],
    open: openCfdbenchCylinder,
  },
  openfwi: {
    describe: "data1.npy, model1.npy, ... of FlatVel-A, or their folders",
    train: 800,
    test: 200,
    options: ["rows", "timeStride", "raw"],
    open: openOpenFwi,
  },
};

/** Opens files of a format, with the options that it takes. */
export async function openPublicData(
  format: ImportFormat,
  paths: readonly string[],
  options: ImporterOptions = {},
): Promise<PublicData> {
  const importer = IMPORTERS[format];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || (importer.options as readonly string[]).includes(name)) continue;
    const flags = importer.options.map(flag).join(", ");
    throw new OptionError(`${format} has no option ${flag(name)}; it has ${flags}`);
  }
  return importer.open(paths, options);
}

/** `inputFrame` as it is written on the command line. */
function flag(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
