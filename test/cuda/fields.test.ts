import { describeOnDevice } from "./gpu.js";
import { type SpectraCase, spectraTests } from "./spectra.js";
import { type FieldCase, transformedTests } from "./transformed-layers.js";

/** As many lines as have work for all of a GPU. */
const FIELDS: readonly FieldCase[] = [
  { clients: 3, lines: 64, points: 128, samples: 9, known: 24, wanted: 24 },
  { clients: 2, lines: 70, points: 64, samples: 12, known: 10, wanted: 30, shared: true },
  { clients: 3, lines: 64, points: 96, samples: 9, known: 24, wanted: 24, turned: true },
  { clients: 3, lines: 64, points: 128, samples: 9, known: 24, wanted: 24, bare: true },
];

/** And matrices. */
const SPECTRA: readonly SpectraCase[] = [
  { clients: 4, frequencies: 288, samples: 16, from: 32, to: 32 },
  { clients: 5, frequencies: 289, samples: 8, from: 24, to: 16, shared: true },
];

describeOnDevice("a layer of fields on a GPU", (device) => {
  transformedTests(device, FIELDS);
  spectraTests(device, SPECTRA);
});
