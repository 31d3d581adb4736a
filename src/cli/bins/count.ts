import { Command } from "commander";
import type { DataNames } from "../../datasets/files/open.js";
import { DEFAULT_MINIMUM } from "../../diagnostics/small-counts.js";
import { type CountedSite, countSite } from "../../exchange/sites/count-site.js";
import { checkSiteName, siteCountsText } from "../../exchange/sites/site-counts.js";
import { checkOutputs, writeOutputs } from "../../files/disk.js";
import { wholeNumber } from "../../options/option.js";
import { fitNotes } from "../../partition/bins-elsewhere.js";
import { MEMORY_OPTIONS } from "../../partition/memory-options.js";
import { type CommonOptions, withCommonOptions } from "../options/arguments.js";
import { readFiles, shownReading, withArrayOptions } from "../options/array-reading.js";
import { DATA_ARGUMENT, dataText } from "../options/file-options.js";
import { optionFlag } from "../options/option-flags.js";
import { percent } from "../percent.js";
import { decimal, textTable } from "../table.js";
import { warn } from "../warning.js";

interface CountOptions extends CommonOptions, DataNames {
  readonly site: string;
  readonly minimum?: number;
  readonly shareQuality?: boolean;
  readonly memory?: number;
  readonly out: string;
  readonly force?: boolean;
}

/** The smallest count that is shared. */
const MINIMUM = wholeNumber({
  from: 1,
  default: DEFAULT_MINIMUM,
  help: "smallest count that is shared: samples of smaller bins are counted in the nearest bin that has enough; 1 shares exact counts",
});

export function binsCountCommand(): Command {
  const command = new Command("count")
    .summary("count the samples of a site in bins that all sites share")
    .description(
      "Count the samples of a site in the bins of a file that `bins fit` wrote, and write these counts for others: " +
        "`diagnose --counts` measures the federation. Everything else that is printed stays at the site.",
    )
    .argument("<bins>", "file of bins that `bins fit` wrote")
    .argument(...DATA_ARGUMENT)
    .requiredOption("--site <name>", "name of the site, as others see it")
    .addOption(optionFlag("minimum", MINIMUM))
    .option("--share-quality", "also write how well the bins describe the samples")
    .addOption(optionFlag("memory", MEMORY_OPTIONS.memory))
    .requiredOption("--out <file>", "CSV file to write")
    .option("--force", "replace the file if it exists")
    .action(countAction);
  return withCommonOptions(
    withArrayOptions(command, {
      group:
        "samples with the same value of this attribute belong together: the minimum counts groups (default: windows of a trajectory; none)",
    }),
    "pde-dirichlet bins count bins.npz north.h5 --site north --out counts-north.csv",
    "pde-dirichlet bins count bins.npz north.h5 --site north --minimum 10 --share-quality --out counts-north.csv",
  );
}

async function countAction(bins: string, given: readonly string[], options: CountOptions): Promise<void> {
  const data = dataText(given);
  const { site, out, force, json, shareQuality, minimum = DEFAULT_MINIMUM } = options;
  checkSiteName(site);
  await checkOutputs([out], { force, inputs: [bins, ...readFiles(data, options)] });

  const found = await countSite(bins, data, { ...options, minimum, ...shownReading(options) });
  const { shared, contributors, fit } = found;
  const text = siteCountsText(site, shared.counts, {
    binsSha256: found.bins.about.bins.sha256,
    rule: { minimum, contributors },
    ...(shareQuality && { fit }),
  });
  await writeOutputs([{ path: out, bytes: new TextEncoder().encode(text) }], { force });
  const notes = fitNotes(fit, found.bins.fitted);
  for (const note of notes) warn(note);
  if (json) {
    console.log(JSON.stringify({ site, ...countedFields(found), notes, minimum, out }));
    return;
  }
  console.log(`${countedInWords(site, bins, found)}\n`);
  console.log(`${sharedInWords(found, minimum)}\n\nWritten: ${out}`);
}

/** What a site knows after counting, under the names of files. */
function countedFields({ counts, shared, contributors, fit, reading }: CountedSite) {
  return {
    reading,
    samples: fit.samples,
    counts,
    shared: shared.counts,
    contributors,
    moved: shared.moved,
    moved_distance: shared.distance,
    explained_variance: fit.explainedVariance,
    mean_distance: fit.meanDistance,
    farthest_distance: fit.farthest,
    outside: fit.outside,
  };
}

/** Counts, and how well the bins describe the samples, beside the data that they were fitted to. */
function countedInWords(site: string, binsPath: string, { counts, shared, fit, bins }: CountedSite): string {
  const { fitted } = bins;
  const isElsewhere = (bin: number) => counts[bin] > 0 && shared.countedIn[bin] !== bin;
  const columns = ["bin", "samples", "shared", ...(shared.moved > 0 ? ["counted in"] : [])];
  const rows = counts.map((count, bin) => {
    const where = isElsewhere(bin) ? `bin ${shared.countedIn[bin]}` : "";
    return [bin, count, shared.counts[bin], where].slice(0, columns.length).map(String);
  });
  return [
    `${site}: ${fit.samples} samples in the ${counts.length} bins of ${binsPath}\n`,
    textTable(columns, rows),
    "",
    textTable(
      ["how well the bins describe", "these samples", "fitted data"],
      [
        [
          "share of the variance explained",
          percent(fit.explainedVariance, 1),
          percent(fitted.explainedVariance, 1),
        ],
        ["mean distance from the centroid", decimal(fit.meanDistance), decimal(fitted.meanDistance)],
        ["farthest from the centroid", decimal(fit.farthest), decimal(fitted.farthest)],
        ["farther than any fitted sample", percent(fit.outside / fit.samples, 1), ""],
      ],
    ),
  ].join("\n");
}

/** What the shared file hides, in words. */
function sharedInWords({ shared, contributors, fit }: CountedSite, minimum: number): string {
  if (minimum === 1) return "All counts are shared as they are, also those of single samples.";
  if (shared.moved === 0)
    return `No bin has fewer than ${minimum} ${contributors}: all counts are as they are.`;
  return (
    `Bins of fewer than ${minimum} ${contributors}: ${shared.moved} of ${fit.samples} samples are counted in the nearest bin that has enough.\n` +
    `This moves the histogram of the site by ${decimal(shared.distance)}.`
  );
}
