import { extname } from "node:path";
import { Command, Option } from "commander";
import { verbatim } from "../analysis/notation.js";
import type { ArrayAxes } from "../datasets/array-axes.js";
import type { Split } from "../datasets/generate.js";
import { OptionError } from "../errors.js";
import { plainPanels } from "../figures/plain-view.js";
import type { SampleFields, SamplePanels } from "../figures/sample-panel.js";
import { SAMPLE_VIEWS } from "../figures/sample-views.js";
import { type SampledField, withoutSingletons } from "../figures/sampled-field.js";
import { checkOutputs, writeOutputs } from "../files/disk.js";
import { styleOf } from "../paper/task-styles.js";
import { type CommonOptions, collected, distinct, wholeNumber, withCommonOptions } from "./arguments.js";
import { announceArrayChoice, withAxisOptions } from "./array-reading.js";
import { openShownData, type ShownData } from "./shown-data.js";

interface ShowOptions extends CommonOptions, ArrayAxes {
  readonly sample?: readonly number[];
  readonly split: Split;
  readonly responses?: string;
  readonly inputs?: string;
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
    .requiredOption("--out <file>", "figure to write: .svg, .png or .pdf")
    .option("--force", "replace the file if it exists")
    .action(showAction);
  return withCommonOptions(
    withAxisOptions(command),
    "pde-dirichlet show burgers.h5 --sample 3 --out s.png",
    "pde-dirichlet show darcy.h5 --split test --sample 0 1 2 --out samples.pdf",
    "pde-dirichlet show fields.npz --responses y_train --inputs X_train0 --out s.svg",
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
      const panels = panelsOf(data, { response, input: number === undefined ? input : undefined });
      const given = number === undefined ? "" : `, ${numberName(data)} = ${Number(number.toPrecision(4))}`;
      samples.push({ label: `sample ${index}${given}`, panels, given });
    }
    const { samplePicture } = await import("../figures/sample-picture.js");
    const svg = samplePicture({
      title: titleOf(data, split, wanted) + (samples.length === 1 ? samples[0].given : ""),
      origin: verbatim(data.origin),
      color: data.task === undefined ? undefined : styleOf(data.task)?.color,
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
        task: data.task ?? null,
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

function titleOf({ task }: ShownData, split: Split, wanted: readonly number[]): string {
  const consecutive = wanted.length > 2 && wanted.every((index, i) => index === wanted[0] + i);
  const numbers = consecutive ? `${wanted[0]} to ${wanted.at(-1)}` : wanted.join(", ");
  const samples = `${wanted.length > 1 ? "samples" : "sample"} ${numbers}`;
  return task === undefined
    ? `Sample${samples.slice(6)}`
    : `${SAMPLE_VIEWS[task].title}, ${split} ${samples}`;
}

/** What an input is called that is a single number, which is told beside the response instead of drawn. */
function numberName({ inputName }: ShownData): string {
  const name = inputName?.split("/").at(-1);
  return name === undefined ? "input" : verbatim(name.replace(/\.npy$/i, ""));
}

/** As the task's samples are drawn, or by their shapes alone where the task is unknown or shapes are not its own. */
function panelsOf({ task }: ShownData, { input, response }: SampleFields): SamplePanels {
  const view = task === undefined ? undefined : SAMPLE_VIEWS[task];
  if (view && input) {
    const fit = [input, response].map((field, i) => {
      const rank = (i === 0 ? view.inputAxes : view.responseAxes).length;
      const fitting = field.shape.length > rank ? withoutSingletons(field) : field;
      return fitting.shape.length === rank ? fitting : undefined;
    });
    if (fit[0] && fit[1]) return view.panels({ input: fit[0], response: fit[1] });
  }
  const plain = (field: SampledField | undefined, name: string) =>
    field === undefined ? [] : plainPanels(field, name);
  return { input: plain(input, "Input"), response: plain(response, "Response") };
}
