import { type ArrayAxes, labelledChannels, permuted } from "../datasets/array-axes.js";
import type { Fields } from "../datasets/fields.js";
import type { Split } from "../datasets/generate.js";
import { type OpenData, openData } from "../datasets/open.js";
import { FormatError, OptionError } from "../errors.js";
import type { SampleFields } from "../figures/sample-panel.js";
import { SAMPLE_VIEWS, type SampleView } from "../figures/sample-views.js";
import type { SampledAxis, SampledField } from "../figures/sampled-field.js";
import { type Hdf5File, openHdf5 } from "../files/hdf5.js";
import { toFloats } from "../files/ndarray.js";

/** A dataset of which samples are looked at. */
export interface ShownData {
  readonly task?: string;
  /** Where the data come from: "simulated by pde-dirichlet 0.1.0", or the file's name where it does not say. */
  readonly origin: string;
  readonly samples: number;
  /** How the arrays were read. */
  readonly data: OpenData;
  /** What the file calls its inputs. */
  readonly inputName?: string;
  sample(index: number): Promise<SampleFields>;
  close(): Promise<void>;
}

export interface ShownDataOptions extends ArrayAxes {
  readonly split: Split;
  readonly responses?: string;
  readonly inputs?: string;
}

/** Opens a dataset with what it says of itself: task, origin, axes. Files that are not ours say less. */
export async function openShownData(path: string, options: ShownDataOptions): Promise<ShownData> {
  const { sampleAxis, channels } = options;
  const data = await openData(path, { ...namesOf(path, options), sampleAxis, channels });
  try {
    const file = await openIfHdf5(path);
    const attributes = file?.attributes() ?? {};
    const task = typeof attributes.task === "string" ? attributes.task : undefined;
    const view = task !== undefined && Object.hasOwn(SAMPLE_VIEWS, task) ? SAMPLE_VIEWS[task] : undefined;
    const origin = typeof attributes.origin === "string" ? attributes.origin : `from ${data.name}`;
    const partial = String(attributes.coordinate_units ?? "").startsWith("parts of the domain");
    return {
      task: view && task,
      origin,
      samples: data.responses.samples,
      data,
      inputName: data.inputsName,
      sample: async (index) => {
        const extents = partial && file ? await extentsOf(file, options.split, index) : undefined;
        const describe = axesReader(file, view, partial, extents);
        return {
          input: data.inputs && (await read(data.inputs, index, await describe(data, "input"))),
          response: await read(data.responses, index, await describe(data, "response")),
        };
      },
      close: async () => {
        file?.close();
        await data.close();
      },
    };
  } catch (error) {
    await data.close();
    throw error;
  }
}

/** Our own files and DeepXDE's archives have test data under names of their own. */
function namesOf(path: string, { split, responses, inputs }: ShownDataOptions) {
  if (split === "train" || responses !== undefined) return { responses, inputs };
  if (/\.npy$/i.test(path))
    throw new OptionError(`${path} is a single array without a test split: leave out --split`);
  if (/\.npz$/i.test(path)) return { responses: "y_test", inputs: inputs ?? "X_test0" };
  return { responses: "/test/responses", inputs: inputs ?? "/test/inputs" };
}

async function openIfHdf5(path: string): Promise<Hdf5File | undefined> {
  try {
    return await openHdf5(path);
  } catch (error) {
    if (error instanceof FormatError) return undefined; // NPY or NPZ, which openData has opened
    throw error;
  }
}

/** A sample with its channels, if it has any, before its grid. */
async function read(fields: Fields, index: number, axes: readonly OrderedAxis[]): Promise<SampledField> {
  const order = axes.map(({ stored }) => stored);
  const values = permuted(await fields.read(index, index + 1), fields.shape, order);
  return { values, shape: order.map((axis) => fields.shape[axis]), axes };
}

/** An axis of a picture, and which axis of the stored sample it is. */
interface OrderedAxis extends SampledAxis {
  readonly stored: number;
}

type Extents = Readonly<Record<string, number>>;

/** Bounds of the domain of a sample where each has its own, as flows past bodies of several sizes do. */
async function extentsOf(file: Hdf5File, split: Split, index: number): Promise<Extents> {
  const found: Record<string, number> = {};
  for (const bound of ["x_min", "x_max", "y_min", "y_max"]) {
    const path = `/${split}/conditions/${bound}`;
    if (file.list().some((dataset) => dataset.path === path))
      found[bound] = toFloats(await file.dataset(path).read(index, index + 1))[0];
  }
  return found;
}

/** Axes of inputs and responses: the file's names for them, else the task's, with the file's coordinates. */
function axesReader(
  file: Hdf5File | undefined,
  view: SampleView | undefined,
  partial: boolean,
  extents: Extents = {},
) {
  return async (data: OpenData, which: "input" | "response"): Promise<OrderedAxis[]> => {
    const fields = which === "input" ? data.inputs! : data.responses;
    const path = which === "input" ? data.inputsName : data.responsesName;
    const usual = which === "input" ? view?.inputAxes : view?.responseAxes;
    const { sampleAxis, channels } = data.axes;
    const array = file && path !== undefined && sampleAxis !== "last" ? file.dataset(path) : undefined; // names in stored order
    const labels = array?.attributes.DIMENSION_LABELS;
    const given = Array.isArray(labels) ? labels.slice(1) : []; // the first axis counts samples
    const isLast = (channels ?? (array && labelledChannels(array))) === "last" && fields.shape.length === 3;
    const order = isLast ? [2, 0, 1] : fields.shape.map((_, i) => i);
    const names = order.map(
      (stored, i) => (given[stored] || usual?.[i]) ?? PLAIN_NAMES.at(i - order.length)!,
    );
    const known = new Set(file?.list().map((dataset) => dataset.path));
    return Promise.all(
      names.map(async (name, i) => {
        const stored = order[i];
        const at = `/coordinates/${name}`;
        const dataset = known.has(at) ? file!.dataset(at) : undefined;
        if (dataset?.rows !== fields.shape[stored]) return { name, stored };
        const [low, high] = [extents[`${name}_min`], extents[`${name}_max`]];
        const placed = low !== undefined && high !== undefined;
        const values = toFloats(await dataset.read(0, dataset.rows));
        const unit = String(dataset.attributes.units ?? view?.units?.[name] ?? "") || undefined;
        return {
          name,
          stored,
          values: placed ? values.map((part) => low + part * (high - low)) : values,
          unit: partial && !placed ? undefined : unit,
        };
      }),
    );
  };
}

const PLAIN_NAMES = ["axis", "channel", "row", "column"];
