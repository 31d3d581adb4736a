import { extname } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { verbatim } from "../analysis/notation.js";
import type { Split } from "../datasets/dataset.js";
import { ARRAY_CHOICES, AXIS_CHOICES, LABEL_CHOICES } from "../datasets/files/file-choices.js";
import { OptionError } from "../errors.js";
import { COLORMAP_NAMES, type ColormapName, type Limits } from "../figures/colormaps.js";
import { checkChoice, type Slice } from "../figures/samples/chosen-parts.js";
import { plainPanels } from "../figures/samples/plain-view.js";
import {
  isImage,
  type SampleFields,
  type SamplePanel,
  type SamplePanels,
} from "../figures/samples/sample-panel.js";
import type { PicturePart } from "../figures/samples/sample-picture.js";
import { stylePanels } from "../figures/samples/sample-views.js";
import { withoutSingletons } from "../figures/samples/sampled-field.js";
import { checkOutputs, writeOutputs } from "../files/disk.js";
import {
  type CommonOptions,
  collected,
  distinct,
  number,
  wholeNumber,
  withCommonOptions,
} from "./options/arguments.js";
import { announceArrayChoice, readFiles } from "./options/array-reading.js";
import { addFileFlags, DATA_ARGUMENT, dataText } from "./options/file-options.js";
import { openShownData, type ShownData, type ShownDataOptions, type ShownLabel } from "./shown-data.js";

export interface ShowOptions extends CommonOptions, Omit<ShownDataOptions, "title"> {
  readonly sample?: readonly number[];
  readonly channel?: readonly string[];
  readonly frame?: readonly number[];
  readonly slice?: readonly Slice[];
  readonly colormap?: readonly ColormapName[];
  readonly limits?: readonly Limits[];
  readonly width?: number;
  readonly out: string;
  readonly force?: boolean;
  // `false` where the part is switched off, such as by --no-title.
  readonly title?: string | false;
  readonly labels?: readonly string[] | false;
  readonly origin?: boolean;
  readonly ticks?: boolean;
  readonly colorbar?: boolean;
  readonly bare?: boolean;
}

/** More rows than this do not fit a page. */
const MOST_SAMPLES = 8;
/** Widths in mm between which a figure can be read, and CSS pixels of a mm. */
const [NARROWEST, WIDEST, PIXELS] = [40, 1000, 96 / 25.4];

/** What a user says of the data. The title of a figure can be left out, so it has an option of its own. */
const { group: _, ...arrayChoices } = ARRAY_CHOICES;
const { title: __, ...labelChoices } = LABEL_CHOICES;
const DATA_CHOICES = { ...arrayChoices, ...AXIS_CHOICES, ...labelChoices };

export function showCommand(): Command {
  const command = new Command("show")
    .summary("draw the input and response of samples")
    .description(
      "Draw the input and response of samples: curves, space-time maps, fields or shot gathers. " +
        "Each sample is one row of the figure; all rows share their scales.",
    )
    .argument(...DATA_ARGUMENT)
    .option("--sample <numbers...>", "samples to draw, counted from 0 (default: 0)", collected(wholeNumber))
    .addOption(
      new Option("--split <name>", "draw training or test samples")
        .choices(["train", "test"])
        .default("train"),
    )
    .option(
      "--channel <names...>",
      "channels to draw, by label or by number from 0 (default: all)",
      collected(String),
    )
    .option(
      "--frame <numbers...>",
      "times to draw of a trajectory, counted from 0 (default: the first, the middle and the last)",
      collected(wholeNumber),
    )
    .option(
      "--slice <axis=place...>",
      "planes to draw of a volume, or lines of a plane: z=16 is point 16 from 0, z=0.5 and z=16.0 the point nearest to this " +
        "coordinate (default: the middle planes)",
      collected(slice),
    )
    .option(
      "--colormap <name>",
      `colours: ${COLORMAP_NAMES.join(", ")}; two with a comma are for input,response`,
      collected(colormap),
    )
    .option(
      "--limits <low:high>",
      "values that scales span, such as -1:1; two with a comma are for input,response",
      collected(limits),
    )
    .option("--title <text>", "text over the figure (default: as the file says, and the samples)")
    .option("--labels <texts...>", "headings of the panels, in their order (default: what they show)")
    .option("--no-title", "leave out the title")
    .option("--no-labels", "leave out headings of panels and names of rows")
    .option("--no-origin", "leave out where the data come from")
    .option("--no-ticks", "leave out ticks, numbers and names along the axes")
    .option("--no-colorbar", "leave out the colour bars")
    .option("--bare", "leave out all of these: pictures without any text")
    .option("--width <mm>", "width of the figure in mm (default: as needed, at most 183)", width)
    .requiredOption("--out <file>", "figure to write: .svg, .png or .pdf")
    .option("--force", "replace the file if it exists")
    .action(showAction);
  return withCommonOptions(
    addFileFlags(command, DATA_CHOICES),
    "pde-dirichlet show burgers.h5 --sample 3 --out s.png",
    "pde-dirichlet show darcy.h5 --split test --sample 0 1 2 --out samples.pdf",
    "pde-dirichlet show fields.npz --responses y_train --inputs X_train0 --out s.svg",
    "pde-dirichlet show advection.hdf5 --inputs 'tensor[:, 0]' --responses 'tensor[:, -1]' --out s.png",
    "pde-dirichlet show volumes.npz --channels none --slice z=16 --title 'My flow' --out s.png",
    "pde-dirichlet show trajectories.npz --axes t,x,y --frame 0 5 10 --colormap magma --limits 0:2 --out s.pdf",
  );
}

async function showAction(given: readonly string[], options: ShowOptions): Promise<void> {
  const { out, split, json } = options;
  const { data, wanted } = await drawSamples(dataText(given), options);
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

/** Draws samples of data, says how they were read, and writes the figure. */
export async function drawSamples(
  path: string,
  options: ShowOptions,
): Promise<{ readonly data: ShownData; readonly wanted: readonly number[] }> {
  const { out, force, split } = options;
  const encode = ENCODERS[extname(out).toLowerCase()];
  if (encode === undefined) throw new OptionError(`--out ends in .svg, .png or .pdf, not "${out}"`);
  const wanted = distinct(options.sample ?? [0]);
  if (wanted.length > MOST_SAMPLES)
    throw new OptionError(`${wanted.length} samples do not fit on a page: choose at most ${MOST_SAMPLES}`);
  await checkOutputs([out], { force, inputs: readFiles(path, options) });
  const data = await openShownData(path, { ...options, title: options.title || undefined });
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
      samples.push({ label: `sample ${index}${given}`, panels: restyled(panels, options), given });
    }
    const { samplePicture, pictureRows, MOST_PANELS, MOST_ROWS } = await import(
      "../figures/samples/sample-picture.js"
    );
    const rows = pictureRows(samples.map(({ panels }) => panels));
    const longest = Math.max(...rows.map((row) => row.length));
    if (longest > MOST_PANELS || rows.length > MOST_ROWS)
      throw new OptionError(
        `samples give ${longest > MOST_PANELS ? `${longest} pictures in a row, more than the ${MOST_PANELS}` : `${rows.length} rows, more than the ${MOST_ROWS}`} ` +
          "that fit: choose some with --channel, --frame or --slice",
      );
    const svg = samplePicture({
      title:
        typeof options.title === "string"
          ? verbatim(options.title)
          : titleOf(data, split, wanted) + (samples.length === 1 ? samples[0].given : ""),
      origin: verbatim(data.origin),
      color: data.source?.color,
      samples,
      shows: partsShown(options),
      width: options.width === undefined ? undefined : Math.round(options.width * PIXELS),
    });
    await writeOutputs([{ path: out, bytes: () => encode(svg) }], { force });
    announceArrayChoice(data.data, options);
    return { data, wanted };
  } finally {
    await data.close();
  }
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

/** `z=16` as the point 16 of z, `z=0.5` as the point nearest to the coordinate 0.5. */
function slice(text: string): Slice {
  const [, axis, place] = /^([^=]+)=(.+)$/.exec(text.trim()) ?? [];
  if (axis === undefined || !Number.isFinite(Number(place)) || place.trim() === "")
    throw new InvalidArgumentError(`"${text}" is not an axis and a number, such as z=16.`);
  return { axis: axis.trim(), at: Number(place), by: /^\s*\d+\s*$/.test(place) ? "number" : "coordinate" };
}

function colormap(text: string): ColormapName {
  const found = COLORMAP_NAMES.find((name) => name === text.trim().toLowerCase());
  if (found === undefined)
    throw new InvalidArgumentError(`"${text}" is no colour map: there are ${COLORMAP_NAMES.join(", ")}.`);
  return found;
}

/** `-1:1` as the ends of a scale. */
function limits(text: string): Limits {
  const ends = text.split(":").map(number);
  if (ends.length !== 2 || !(ends[0] < ends[1]))
    throw new InvalidArgumentError(`"${text}" is not a low and a higher number, such as -1:1.`);
  return [ends[0], ends[1]];
}

function width(text: string): number {
  const mm = number(text);
  if (!(mm >= NARROWEST && mm <= WIDEST))
    throw new InvalidArgumentError(`"${text}" is not from ${NARROWEST} to ${WIDEST} mm.`);
  return mm;
}

/** Which parts of the figure are printed. */
function partsShown({ bare, ...options }: ShowOptions): Readonly<Record<PicturePart, boolean>> {
  const shown = (part: PicturePart) => !bare && options[part] !== false;
  return {
    title: shown("title"),
    origin: shown("origin"),
    labels: shown("labels"),
    ticks: shown("ticks"),
    colorbar: shown("colorbar"),
  };
}

/** Panels with the headings, colours and limits that are asked for. */
function restyled(
  { input, response }: SamplePanels,
  { labels, colormap: maps, limits: ends }: ShowOptions,
): SamplePanels {
  const count = input.length + response.length;
  if (labels && labels.length !== count)
    throw new OptionError(
      `--labels has ${labels.length} texts for ${count} panels: give one for each, in their order`,
    );
  const style = (panel: SamplePanel, place: 0 | 1, index: number): SamplePanel => {
    const [map, limits] = [ofPair("--colormap", maps, place), ofPair("--limits", ends, place)];
    const named = labels ? { ...panel, title: verbatim(labels[index]), place: undefined } : panel;
    return isImage(named)
      ? { ...named, colors: { ...named.colors, ...(map && { map }), ...(limits && { limits }) } }
      : { ...named, ...(limits && { limits }) };
  };
  return {
    input: input.map((panel, i) => style(panel, 0, i)),
    response: response.map((panel, i) => style(panel, 1, input.length + i)),
  };
}

/** One value for input and response, or one of two. */
function ofPair<T>(flag: string, values: readonly T[] | undefined, place: 0 | 1): T | undefined {
  if (values !== undefined && values.length > 2)
    throw new OptionError(`${flag} takes one value, or two for input and response, not ${values.length}`);
  return values?.[values.length === 2 ? place : 0];
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
  const parts = { channels, frames, slices };
  checkChoice(input ? [input, response] : [response], parts);
  // Where both are called alike, headings tell the one from the other.
  const alike = inputText.label !== undefined && inputText.label === responseText.label;
  const plain = (name: "Input" | "Response", { label = name, unit }: ShownLabel) => ({
    label,
    unit,
    ...(alike && { heading: name }),
    ...parts,
  });
  return {
    input: input ? plainPanels(input, plain("Input", inputText)) : [],
    response: plainPanels(response, plain("Response", responseText)),
  };
}
