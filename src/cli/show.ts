import { extname } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { verbatim } from "../analysis/notation.js";
import { AXIS_ENDS } from "../datasets/array-axes.js";
import type { Split } from "../datasets/dataset.js";
import { CHANNEL_PLACES } from "../datasets/sample-axes.js";
import { OptionError } from "../errors.js";
import { type PlainOptions, plainPanels, type Slice } from "../figures/samples/plain-view.js";
import type { SampleFields, SamplePanels } from "../figures/samples/sample-panel.js";
import { stylePanels } from "../figures/samples/sample-views.js";
import { type SampledField, withoutSingletons } from "../figures/samples/sampled-field.js";
import { checkOutputs, writeOutputs } from "../files/disk.js";
import { type CommonOptions, collected, distinct, wholeNumber, withCommonOptions } from "./arguments.js";
import { announceArrayChoice } from "./array-reading.js";
import { openShownData, type ShownData, type ShownDataOptions } from "./shown-data.js";

interface ShowOptions extends CommonOptions, ShownDataOptions {
  readonly sample?: readonly number[];
  readonly channel?: readonly number[];
  readonly frame?: readonly number[];
  readonly slice?: readonly Slice[];
  readonly out: string;
  readonly force?: boolean;
}

/** More rows than this do not fit a page. */
const MOST_SAMPLES = 8;

export function showCommand(): Command {
  const command = new Command("show")
    .summary("draw the input and response of samples")
    .description(
      "Draw the input and response of samples: curves, space-time maps, fields or shot gathers. " +
        "Each sample is one row of the figure; all rows share their scales.",
    )
    .argument("<data>", "HDF5, NPY or NPZ file, samples along the first axis")
    .option("--sample <numbers...>", "samples to draw, counted from 0 (default: 0)", collected(wholeNumber))
    .addOption(
      new Option("--split <name>", "draw training or test samples")
        .choices(["train", "test"])
        .default("train"),
    )
    .option("--responses <name>", "dataset or array with the responses")
    .option("--inputs <name>", "dataset, array or NPY file with the inputs")
    .option("--title <text>", "what the data are called over the figure (default: as the file says)")
    .option("--input-label <text>", "what the inputs are (default: as the file says)")
    .option("--response-label <text>", "what the responses are (default: as the file says)")
    .option("--input-unit <text>", "unit of the inputs")
    .option("--response-unit <text>", "unit of the responses")
    .addOption(
      new Option("--sample-axis <end>", "which axis of the stored arrays counts samples").choices(AXIS_ENDS),
    )
    .addOption(
      new Option("--channels <place>", "which axis of a sample holds channels").choices(CHANNEL_PLACES),
    )
    .option(
      "--axes <names>",
      "names of the axes of a response in their order, such as x,y,t or channel,x,y",
      names,
    )
    .option("--input-axes <names>", "likewise of an input", names)
    .option(
      "--channel <numbers...>",
      "channels to draw, counted from 0 (default: all)",
      collected(wholeNumber),
    )
    .option(
      "--frame <numbers...>",
      "times to draw of a trajectory, counted from 0 (default: the first, the middle and the last)",
      collected(wholeNumber),
    )
    .option(
      "--slice <axis=number...>",
      "planes to draw of a volume, such as z=16 (default: the middle ones)",
      collected(slice),
    )
    .requiredOption("--out <file>", "figure to write: .svg, .png or .pdf")
    .option("--force", "replace the file if it exists")
    .action(showAction);
  return withCommonOptions(
    command,
    "pde-dirichlet show burgers.h5 --sample 3 --out s.png",
    "pde-dirichlet show darcy.h5 --split test --sample 0 1 2 --out samples.pdf",
    "pde-dirichlet show fields.npz --responses y_train --inputs X_train0 --out s.svg",
    "pde-dirichlet show volumes.npz --channels none --slice z=16 --title 'My flow' --out s.png",
  );
}

async function showAction(path: string, options: ShowOptions): Promise<void> {
  const { out, force, split, json } = options;
  const encode = ENCODERS[extname(out).toLowerCase()];
  if (encode === undefined) throw new OptionError(`--out ends in .svg, .png or .pdf, not "${out}"`);
  const wanted = distinct(options.sample ?? [0]);
  if (wanted.length > MOST_SAMPLES)
    throw new OptionError(`${wanted.length} samples do not fit on a page: choose at most ${MOST_SAMPLES}`);
  const inputs = [path, options.inputs].filter((file) => file !== undefined);
  await checkOutputs([out], { force, inputs });
  const data = await openShownData(path, options);
  try {
    const beyond = wanted.find((index) => index >= data.samples);
    if (beyond !== undefined)
      throw new OptionError(
        `there is no sample ${beyond}: ${path} has ${data.samples} ${split} samples, 0 to ${data.samples - 1}`,
      );
    const samples = [];
    for (const index of wanted) {
      const { response, input } = await data.sample(index);
      const number = input?.values.length === 1 ? input.values[0] : undefined;
      const panels = panelsOf(data, { response, input: number === undefined ? input : undefined }, options);
      const given = number === undefined ? "" : `, ${numberName(data)} = ${Number(number.toPrecision(4))}`;
      samples.push({ label: `sample ${index}${given}`, panels, given });
    }
    const { samplePicture } = await import("../figures/samples/sample-picture.js");
    const svg = samplePicture({
      title: titleOf(data, split, wanted) + (samples.length === 1 ? samples[0].given : ""),
      origin: verbatim(data.origin),
      color: data.source?.color,
      samples,
    });
    await writeOutputs([{ path: out, bytes: () => encode(svg) }], { force });
    announceArrayChoice(data.data, options);
  } finally {
    await data.close();
  }
  if (json)
    console.log(
      JSON.stringify({
        file: out,
        task: data.source?.name ?? null,
        ...(data.title !== undefined && { title: data.title }),
        split,
        samples: wanted,
        origin: data.origin,
        reading: data.data.reading,
      }),
    );
  else console.log(`Figure: ${out}`);
}

/** Loaded when needed: a mistake is told before. */
const ENCODERS: Readonly<Record<string, (svg: string) => Promise<Uint8Array>>> = {
  ".svg": async (svg) => new TextEncoder().encode(svg),
  ".png": async (svg) => (await import("../figures/raster.js")).toPng(svg),
  ".pdf": async (svg) => (await import("../figures/pdf.js")).toPdf(svg),
};

function titleOf({ source, title }: ShownData, split: Split, wanted: readonly number[]): string {
  const consecutive = wanted.length > 2 && wanted.every((index, i) => index === wanted[0] + i);
  const numbers = consecutive ? `${wanted[0]} to ${wanted.at(-1)}` : wanted.join(", ");
  const samples = `${wanted.length > 1 ? "samples" : "sample"} ${numbers}`;
  const name = title === undefined ? source?.style.title : verbatim(title);
  return name === undefined ? `Sample${samples.slice(6)}` : `${name}, ${split} ${samples}`;
}

/** `x,y,t` as names of axes. */
const names = (text: string): string[] => text.split(",").map((name) => name.trim());

/** `z=16` as a plane of a volume. */
function slice(text: string): Slice {
  const [, axis, index] = /^([^=]+)=(\d+)$/.exec(text.trim()) ?? [];
  if (axis === undefined)
    throw new InvalidArgumentError(`"${text}" is not an axis and a number, such as z=16.`);
  return { axis, index: Number(index) };
}

/** What an input is called that is a single number, which is told beside the response instead of drawn. */
function numberName({ inputName }: ShownData): string {
  const name = inputName?.split("/").at(-1);
  return name === undefined ? "input" : verbatim(name.replace(/\.npy$/i, ""));
}

/** As the source's samples are drawn, or by their axes alone where the source is unknown or shapes are not its own. */
function panelsOf(
  { source, sourceGeometry, input: inputText, response: responseText }: ShownData,
  { input, response }: SampleFields,
  { channel: channels, frame: frames, slice: slices }: ShowOptions,
): SamplePanels {
  const isOwn = [
    inputText.label,
    inputText.unit,
    responseText.label,
    responseText.unit,
    channels,
    frames,
    slices,
  ];
  if (source && sourceGeometry && input && isOwn.every((one) => one === undefined)) {
    const fit = [input, response].map((field, i) => {
      const rank = (i === 0 ? sourceGeometry.inputs : sourceGeometry.responses).axes.length;
      const fitting = field.shape.length > rank ? withoutSingletons(field) : field;
      return fitting.shape.length === rank ? fitting : undefined;
    });
    if (fit[0] && fit[1]) return stylePanels(source.style, { input: fit[0], response: fit[1] });
  }
  const plain = (field: SampledField | undefined, options: PlainOptions) =>
    field === undefined ? [] : plainPanels(field, options);
  const parts = { channels, frames, slices };
  return {
    input: plain(input, { label: inputText.label ?? "Input", unit: inputText.unit, ...parts }),
    response: plain(response, { label: responseText.label ?? "Response", unit: responseText.unit, ...parts }),
  };
}
