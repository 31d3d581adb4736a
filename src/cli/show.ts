import { Command, InvalidArgumentError, Option } from "commander";
import { verbatim } from "../analysis/notation.js";
import type { Split } from "../datasets/dataset.js";
import { ARRAY_CHOICES, AXIS_CHOICES, LABEL_CHOICES } from "../datasets/files/file-choices.js";
import { OptionError } from "../errors.js";
import type { PicturePart } from "../figures/samples/sample-picture.js";
import { checkOutputs, writeOutputs } from "../files/disk.js";
import { figureEncoder } from "./figure-file.js";
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
import { addPictureFlags, type PictureOptions } from "./options/picture-options.js";
import {
  checkPartitionSamples,
  type PartitionSampleOptions,
  type PartitionSamples,
  partitionSamples,
} from "./show/partition-samples.js";
import { openShownData, type ShownData, type ShownDataOptions } from "./show/shown-data.js";
import { panelsOf, restyled } from "./show/shown-panels.js";

export interface ShowOptions
  extends CommonOptions,
    PictureOptions,
    PartitionSampleOptions,
    Omit<ShownDataOptions, "title"> {
  readonly sample?: readonly number[];
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
    .argument("[data...]", `${DATA_ARGUMENT[1]} (with --partition: as it notes)`)
    .option("--sample <numbers...>", "samples to draw, counted from 0 (default: 0)", collected(wholeNumber))
    .addOption(
      new Option("--split <name>", "draw training or test samples")
        .choices(["train", "test"])
        .default("train"),
    )
    .option("--partition <file>", "draw samples of a partition: of a bin, of a client, or of both")
    .option("--bin <number>", "samples of this solution bin, nearest to its centroid first", wholeNumber)
    .option("--client <name>", "samples of this client, in the order of the file")
    .option("--samples <number>", "how many samples of the bin or client (default: 4)", wholeNumber)
    .option("--other-data", "accept other responses of the same samples than those of the partition");
  addPictureFlags(command, "; two with a comma are for input,response")
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
    "pde-dirichlet show --partition p.json --bin 3 --out bin.svg",
    "pde-dirichlet show fields.npz --responses y_train --inputs X_train0 --out s.svg",
    "pde-dirichlet show advection.hdf5 --inputs 'tensor[:, 0]' --responses 'tensor[:, -1]' --out s.png",
    "pde-dirichlet show volumes.npz --channels none --slice z=16 --title 'My flow' --out s.png",
    "pde-dirichlet show trajectories.npz --axes t,x,y --frame 0 5 10 --colormap magma --limits 0:2 --out s.pdf",
  );
}

async function showAction(given: readonly string[], options: ShowOptions): Promise<void> {
  const { out, split, json } = options;
  checkPartitionSamples(options);
  if (given.length === 0 && options.partition === undefined)
    throw new OptionError("name the data file, or a partition with --partition and --bin or --client");
  figureEncoder(out, "--out"); // refuses an unknown kind of file before the work
  const named = given.length === 0 ? undefined : dataText(given);
  const { channels: _, ...names } = options;
  const chosen = options.partition === undefined ? undefined : await partitionSamples(named, names);
  const { data, wanted } = await drawSamples(chosen?.data ?? named!, options, chosen);
  if (json)
    console.log(
      JSON.stringify({
        file: out,
        task: data.source?.name ?? null,
        ...(data.title !== undefined && { title: data.title }),
        split,
        samples: wanted,
        ...(chosen && { partition: options.partition, of: chosen.of, chosen: chosen.words }),
        origin: data.origin,
        reading: data.data.reading,
      }),
    );
  else console.log(`${chosen ? `${chosen.words}\n` : ""}Figure: ${out}`);
}

/** Draws samples of data, says how they were read, and writes the figure. */
export async function drawSamples(
  path: string,
  options: ShowOptions,
  chosen?: PartitionSamples,
): Promise<{ readonly data: ShownData; readonly wanted: readonly number[] }> {
  const { out, force, split } = options;
  const encode = figureEncoder(out, "--out");
  const wanted = distinct(chosen?.samples ?? options.sample ?? [0]);
  if (wanted.length > MOST_SAMPLES)
    throw new OptionError(`${wanted.length} samples do not fit on a page: choose at most ${MOST_SAMPLES}`);
  const partition = options.partition === undefined ? [] : [options.partition];
  await checkOutputs([out], { force, inputs: [...readFiles(path, options), ...partition] });
  const data = await openShownData(
    path,
    { ...options, title: options.title || undefined },
    chosen && (chosen.noted ?? {}),
  );
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
          : titleOf(data, chosen ? `${chosen.of},` : split, wanted) +
            (samples.length === 1 ? samples[0].given : ""),
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

function titleOf({ source, title }: ShownData, of: Split | string, wanted: readonly number[]): string {
  const consecutive = wanted.length > 2 && wanted.every((index, i) => index === wanted[0] + i);
  const numbers = consecutive ? `${wanted[0]} to ${wanted.at(-1)}` : wanted.join(", ");
  const samples = `${wanted.length > 1 ? "samples" : "sample"} ${numbers}`;
  const name = title === undefined ? source?.style.title : verbatim(title);
  return name === undefined ? `Sample${samples.slice(6)}` : `${name}, ${of} ${samples}`;
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

/** What an input is called that is a single number, which is told beside the response instead of drawn. */
function numberName({ inputName }: ShownData): string {
  const name = inputName?.split("/").at(-1);
  return name === undefined ? "input" : verbatim(name.replace(/\.npy$/i, ""));
}
