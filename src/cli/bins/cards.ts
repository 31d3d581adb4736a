import { basename } from "node:path";
import { verbatim } from "../../analysis/notation.js";
import { OptionError } from "../../errors.js";
import type { BinsOfPartition } from "../../exchange/bins-of-partition.js";
import { type BinCard, type BinField, binCards } from "../../figures/partitions/bin-cards.js";
import { curve, type SampleFields, type SamplePanel } from "../../figures/samples/sample-panel.js";
import { MOST_PANELS } from "../../figures/samples/sample-picture.js";
import { type SampledField, withoutSingletons } from "../../figures/samples/sampled-field.js";
import { countTable } from "../../partition/assignment.js";
import type { BinPicture } from "../../partition/bin-pictures.js";
import { centroidField } from "../../partition/bins.js";
import { openShownData, type ShownData } from "../show/shown-data.js";
import { panelsOf, restyled } from "../show/shown-panels.js";
import type { LookOptions } from "./look.js";

/** More bins than this make a figure that nobody can read. */
const MOST_BINS = 200;

/** The bins of a partition as SVG: centroids in the units of the data, nearest and farthest samples, clients. */
export async function drawBins(path: string, found: BinsOfPartition, options: LookOptions): Promise<string> {
  const { model, means, pictures, assignment, own } = found;
  if (model.bins > MOST_BINS)
    throw new OptionError(`${model.bins} bins do not fit a figure: it takes at most ${MOST_BINS}`);
  const noted = own?.file.data ?? {};
  const data = await openShownData(path, { ...options, split: "train" }, noted);
  try {
    const counts = countTable(assignment);
    const cards: BinCard[] = [];
    for (const picture of pictures.bins)
      cards.push({
        title: `Bin ${picture.bin}`,
        facts: factsOf(picture),
        fields: await fieldsOf(
          data,
          picture,
          means
            ? { role: "mean", response: data.field(means[picture.bin]) }
            : { role: "centroid", response: data.field(centroidField(model, picture.bin)) },
          options,
        ),
        clients: counts.map((row) => row[picture.bin]),
      });
    return binCards({
      title: verbatim(options.title ?? titleOf(data, path, found)),
      origin: verbatim(data.origin),
      color: data.source?.color,
      cards,
    });
  } finally {
    await data.close();
  }
}

function titleOf(
  { source, title }: ShownData,
  path: string,
  { model, clientNames, pictures }: BinsOfPartition,
): string {
  const name = title ?? source?.style.title ?? basename(path);
  return `${name}: ${pictures.binOfSample.length} samples in ${model.bins} bins, ${clientNames.length} clients`;
}

function factsOf({ samples, spread, silhouette }: BinPicture): string[] {
  return [
    samples === 1 ? "1 sample" : `${samples} samples`,
    ...(spread === undefined ? [] : [`spread ${spread.toFixed(2)}`]),
    ...(silhouette === undefined ? [] : [`silhouette ${silhouette.toFixed(2)}`]),
  ];
}

/** The centroid, and the samples nearest to and farthest from it; of a bin with one sample that alone. */
async function fieldsOf(
  data: ShownData,
  { nearest, farthest }: BinPicture,
  { role, response }: { readonly role: string; readonly response: SampledField },
  options: LookOptions,
): Promise<BinField[]> {
  const shown = await Promise.all(
    [nearest, farthest].map(async (member) => member && (await data.sample(member.sample))),
  );
  // Styles that mask a body need an input: that of the nearest sample stands for the centroid's.
  const fields: BinField[] = [
    {
      role,
      panels: responsePanels(data, { input: shown[0]?.input, response }, options),
    },
  ];
  [nearest, farthest].forEach((member, i) => {
    if (member)
      fields.push({
        role: i === 0 ? "nearest" : "farthest",
        sample: member.sample,
        panels: responsePanels(data, shown[i]!, options),
      });
  });
  return fields;
}

/** What is drawn of a response. */
function responsePanels(data: ShownData, fields: SampleFields, options: LookOptions): readonly SamplePanel[] {
  const { response, input } = fields;
  if (withoutSingletons(response).shape.length === 0) return [singleNumber(data, response)];
  const usable = input !== undefined && input.values.length > 1 ? { response, input } : { response };
  const { response: panels } = restyled(panelsOf(data, usable, options), options);
  if (panels.length > MOST_PANELS)
    throw new OptionError(
      `a response gives ${panels.length} pictures, more than the ${MOST_PANELS} that fit: choose some with ` +
        "--channel, --frame or --slice",
    );
  return panels;
}

/** A response that is one number. */
function singleNumber(
  { response: { label = "response", unit } }: ShownData,
  field: SampledField,
): SamplePanel {
  const quantity = `${verbatim(label)}${unit === undefined ? "" : ` (${verbatim(unit)})`}`;
  const one = { values: field.values, shape: [1], axes: [{ name: "number" }] };
  return { ...curve(one, label, quantity), numbers: true };
}
