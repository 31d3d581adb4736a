import { basename } from "node:path";
import { type BinsOfPartition, binsOfPartition } from "../../exchange/bins-of-partition.js";
import { qualityFields } from "../../exchange/partition-file.js";
import type { PartitionedDataOptions } from "../../exchange/partitioned-data.js";
import { formatCsv } from "../../files/csv.js";
import { writeOutputs } from "../../files/disk.js";
import { countTable } from "../../partition/assignment.js";
import { type BinPicture, separationWords } from "../../partition/bin-pictures.js";
import { binNotes, noiseExplained, percent as share } from "../../partition/bin-quality.js";
import { figureEncoder, isFigureFile } from "../figure-file.js";
import type { CommonOptions } from "../options/arguments.js";
import { shownReading } from "../options/array-reading.js";
import type { PictureOptions } from "../options/picture-options.js";
import { percent } from "../percent.js";
import type { ShownDataOptions } from "../show/shown-data.js";
import { decimal, textTable } from "../table.js";
import { warn } from "../warning.js";

export interface LookOptions
  extends CommonOptions,
    PictureOptions,
    Omit<ShownDataOptions, "split">,
    Omit<PartitionedDataOptions, keyof ShownDataOptions | "onOpen"> {
  readonly seed?: number;
  readonly memory?: number;
  readonly out?: readonly string[];
  readonly force?: boolean;
}

/** Prints what the bins of a partition hold, and draws them. */
export async function lookIntoBins(data: string, partition: string, options: LookOptions): Promise<void> {
  const { out = [], force, json, seed = 0 } = options;
  const { channels: _, ...names } = options;
  const found = await binsOfPartition(data, partition, { ...names, seed, ...shownReading(options) });
  const figures = out.filter(isFigureFile);
  const svg = figures.length === 0 ? "" : await drawn(data, found, options);
  await writeOutputs(
    out.map((path) => ({
      path,
      bytes: isFigureFile(path)
        ? () => figureEncoder(path, "--out")(svg)
        : async () => new TextEncoder().encode(binsCsv(found)),
    })),
    { force },
  );
  const { quality } = found.pictures;
  for (const note of [...found.remarks, ...binNotes(quality)]) warn(note);
  if (json) console.log(JSON.stringify({ ...asJson(found), data, partition, out }));
  else {
    console.log(`${basename(partition)}: ${headline(found)}\n`);
    console.log(binTable(found));
    console.log(`\n${words(found)}`);
    if (out.length > 0) console.log(`\nWritten: ${out.join(", ")}`);
  }
}

async function drawn(data: string, found: BinsOfPartition, options: LookOptions): Promise<string> {
  const { drawBins } = await import("./cards.js");
  return drawBins(data, found, options);
}

function headline({ pictures, clientNames, binsOrigin }: BinsOfPartition): string {
  const { bins, binOfSample } = pictures;
  const from = binsOrigin.from === undefined ? `, fitted with seed ${binsOrigin.seed}` : "";
  return `${binOfSample.length} samples in ${bins.length} bins${from}, ${clientNames.length} clients`;
}

/** What the bins are as a whole, in words. */
function words({ pictures }: BinsOfPartition): string {
  const { quality, quantisationError } = pictures;
  const explained =
    `The bins explain ${share(quality.explainedVariance)} of the variance of the ${quality.of ?? "responses"} ` +
    `(white noise: about ${share(noiseExplained(quality))}). Mean distance from the centroid, eps_quant: ` +
    `${quantisationError.toFixed(3)}.`;
  return [explained, separationWords(pictures)].filter(Boolean).join("\n");
}

/** A bin with the clients that hold it. */
interface BinRow extends BinPicture {
  readonly clients: number;
  readonly largest?: { readonly client: string; readonly share: number };
}

function rowsOf({ pictures, assignment, clientNames }: BinsOfPartition): BinRow[] {
  const counts = countTable(assignment);
  return pictures.bins.map((picture) => {
    const held = counts.map((row) => row[picture.bin]);
    const most = Math.max(...held);
    const all = held.reduce((a, b) => a + b, 0);
    return {
      ...picture,
      clients: held.filter((count) => count > 0).length,
      ...(most > 0 && { largest: { client: clientNames[held.indexOf(most)], share: most / all } }),
    };
  });
}

function binTable(found: BinsOfPartition): string {
  return textTable(
    [
      "bin",
      "samples",
      "left",
      "spread",
      "nearest",
      "farthest",
      "silhouette",
      "next bin",
      "clients",
      "largest holder",
    ],
    rowsOf(found).map((row) => [
      String(row.bin),
      String(row.samples),
      percent(row.left, 1),
      decimal(row.spread ?? null),
      String(row.nearest?.sample ?? "-"),
      String(row.farthest?.sample ?? "-"),
      decimal(row.silhouette ?? null, 2),
      String(row.neighbour ?? "-"),
      String(row.clients),
      row.largest ? `${row.largest.client} (${percent(row.largest.share, 0)})` : "-",
    ]),
  );
}

function asJson(found: BinsOfPartition) {
  const { pictures, binsOrigin, reading, remarks } = found;
  return {
    reading,
    bins: rowsOf(found).map((row) => ({
      ...row,
      spread: row.spread ?? null,
      silhouette: row.silhouette ?? null,
    })),
    bins_from: binsOrigin.from ?? null,
    bins_seed: binsOrigin.seed ?? null,
    eps_quant: pictures.quantisationError,
    silhouette: pictures.silhouette ?? null,
    border_share: pictures.border ?? null,
    noise_explained: noiseExplained(pictures.quality),
    ...qualityFields(pictures.quality),
    notes: [...remarks, ...binNotes(pictures.quality)],
  };
}

function binsCsv(found: BinsOfPartition): string {
  const header = ["bin", "samples", "variance_left", "spread", "nearest", "nearest_distance", "farthest"];
  return formatCsv([
    [...header, "farthest_distance", "silhouette", "next_bin", "clients", "largest_holder", "largest_share"],
    ...rowsOf(found).map((row) =>
      [
        row.bin,
        row.samples,
        row.left,
        row.spread,
        row.nearest?.sample,
        row.nearest?.distance,
        row.farthest?.sample,
        row.farthest?.distance,
        row.silhouette,
        row.neighbour,
        row.clients,
        row.largest?.client,
        row.largest?.share,
      ].map((value) => String(value ?? "")),
    ),
  ]);
}
