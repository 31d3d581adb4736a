import type { AxisKind } from "../datasets/dataset.js";
import { type Fields, fieldSize } from "../datasets/fields.js";
import type { SampleArray, SampleArrays } from "../datasets/sample-arrays.js";
import { DataError, OptionError } from "../errors.js";
import { meanFields } from "../partition/bin-fields.js";
import type { BinModel, SolutionBins } from "../partition/bins.js";
import {
  type CostChoice,
  checkCost,
  DEFAULT_COST,
  groundCosts,
  isCostName,
  recordedCost,
} from "../partition/ground-costs.js";
import type {
  FittedRepresentation,
  Representation,
  RepresentedData,
  Standardisation,
} from "../partition/representation.js";
import {
  type ChosenRepresentation,
  chosenRepresentation,
  DEFAULT_REPRESENTATION,
  REPRESENTATION_FORMS,
  recordedRepresentation,
} from "../partition/representations.js";

/** Where rows of a representation come from. */
export interface RepresentationSources {
  readonly responses: Fields;
  /** Kinds of the axes of a response; asked for only where a representation or a cost needs them. */
  readonly responseAxes?: () => Promise<readonly AxisKind[] | undefined>;
  /** Arrays beside the responses that a user may name. */
  readonly descriptors?: SampleArrays;
}

/** What bins are fitted to, and how far apart they lie. */
export interface RepresentationOptions {
  /** `field` (default), `gradient`, `spectrum`, `pca:20`, or names of arrays. */
  readonly representation?: string;
  /** How arrays are scaled against each other; default `arrays`. */
  readonly standardise?: Standardisation;
  /** `l2` (default), `h1`, `discrete`, or a matrix. */
  readonly cost?: CostChoice;
}

/** Rows to fit bins to, and what completes the bins that were found. */
export interface OpenedRepresentation {
  readonly rows: Fields;
  /** What they are called in messages; undefined for the responses. */
  readonly what?: string;
  /** Bins with representation, costs and notes. */
  completed(bins: SolutionBins): Promise<SolutionBins>;
}

/** Opens the rows that bins are fitted to, or that bins of an earlier model take. */
export async function openRepresentation(
  data: RepresentationSources,
  options: RepresentationOptions & {
    readonly model?: BinModel;
    readonly onProgress?: (fraction: number) => void;
  } = {},
): Promise<OpenedRepresentation> {
  const { model, standardise, cost = DEFAULT_COST } = options;
  const chosen = chosenRepresentation(
    model
      ? (model.representation?.name ?? DEFAULT_REPRESENTATION)
      : (options.representation ?? DEFAULT_REPRESENTATION),
  );
  const { entry } = chosen;
  if (model) checkReuse(model, options);
  if (standardise !== undefined && !model && !entry.readsArrays)
    throw new OptionError(
      `standardise scales arrays of descriptors, and the representation ${chosen.text} has none: leave it out`,
    );
  if (!model) checkCost(cost, entry);
  const fitted = await fittedTo(data, chosen, options);
  const { represented, representation } = fitted;
  const rows = entry.rows(represented, representation?.arrays ?? {});
  if (model && fieldSize(rows) !== model.mean.length)
    throw new DataError(
      `the ${entry.rowsCalled} have ${fieldSize(rows)} numbers each, those of the fitted bins ${model.mean.length}`,
    );
  return {
    rows,
    ...(representation && { what: entry.rowsCalled }),
    async completed(bins) {
      const notes = representation ? notesOf(entry, represented, representation) : [];
      if (!entry.readsArrays && data.descriptors?.names.includes(chosen.text))
        notes.unshift(
          `${chosen.text} is a representation; write /${chosen.text} for the array of that name.`,
        );
      if (model) return { ...bins, ...(notes.length > 0 && { notes }) };
      const described = { ...bins, ...(representation && { representation }) };
      const values = await groundCosts(cost, {
        model: described,
        binFields: async () => ({
          values: representation ? await meanFields(data.responses, bins) : bins.centroids,
          shape: data.responses.shape,
          axes: await data.responseAxes?.(),
        }),
      });
      const name = typeof cost === "string" ? cost : cost.name;
      if (values) notes.push(costNote(name));
      return {
        ...described,
        ...(values && { cost: { name, values } }),
        ...(notes.length > 0 && { notes }),
      };
    },
  };
}

/** What the rows are made from, and what was kept of data for it. */
async function fittedTo(
  data: RepresentationSources,
  { text, entry, parameter }: ChosenRepresentation,
  { model, standardise, onProgress }: Parameters<typeof openRepresentation>[1] & object,
): Promise<{ readonly represented: RepresentedData; readonly representation?: FittedRepresentation }> {
  const { responses } = data;
  const known = model?.representation;
  if (known && !entry.readsArrays) checkShape(known, responses);
  const axes = entry.needsAxes ? (known?.axes ?? (await data.responseAxes?.())) : undefined;
  const arrays = entry.readsArrays ? await namedArrays(data.descriptors, text, responses.samples) : undefined;
  const scaling = known?.standardise ?? standardise;
  const represented = {
    responses,
    ...(axes && { axes }),
    ...(arrays && { arrays }),
    ...(parameter !== undefined && { parameter }),
    ...(entry.readsArrays && { standardise: scaling ?? "arrays" }),
    ...(onProgress && { onProgress }),
  };
  if (model) return { represented, ...(known && { representation: known }) };
  if (text === DEFAULT_REPRESENTATION) return { represented };
  return {
    represented,
    representation: {
      name: text,
      ...(entry.readsArrays && { standardise: scaling ?? ("arrays" as const) }),
      responseShape: responses.shape,
      ...(axes && { axes }),
      arrays: (await entry.fit?.(represented)) ?? {},
    },
  };
}

/** Refuses another representation or cost for bins that exist. */
function checkReuse(
  { representation: known, cost: own }: BinModel,
  { representation, standardise, cost }: RepresentationOptions,
): void {
  const isOther =
    (representation !== undefined && recordedRepresentation(representation) !== known?.name) ||
    (standardise !== undefined && standardise !== (known?.standardise ?? "arrays")) ||
    (cost !== undefined && recordedCost(cost) !== own?.name);
  if (isOther)
    throw new OptionError(
      "bins that are reused bring their representation and cost: leave out others, or fit bins to these data",
    );
}

function checkShape({ name, responseShape }: FittedRepresentation, { shape }: Fields): void {
  if (shape.join() !== responseShape.join())
    throw new DataError(
      `the bins are of ${name} of responses of ${responseShape.join(" x ")}, and these are ${shape.join(" x ")}`,
    );
}

/** The arrays that a text names. Refuses what the data do not have, with what they have. */
export async function namedArrays(
  descriptors: SampleArrays | undefined,
  text: string,
  samples?: number,
): Promise<readonly SampleArray[]> {
  if (!descriptors || descriptors.names.length === 0)
    throw new OptionError(
      `representation is one of ${REPRESENTATION_FORMS.join(", ")}, not "${text}": the data have no array beside the ` +
        "responses with a row for each sample",
    );
  const arrays = await descriptors.open(text).catch((error) => {
    if (!(error instanceof OptionError)) throw error;
    throw new OptionError(`${error.message}; other representations are ${REPRESENTATION_FORMS.join(", ")}`);
  });
  const odd = arrays.find(({ fields }) => samples !== undefined && fields.samples !== samples);
  if (odd)
    throw new DataError(
      `${odd.name} has ${odd.fields.samples} rows for ${samples} samples: it cannot describe them`,
    );
  const empty = arrays.find(({ fields }) => fieldSize(fields) === 0);
  if (empty) throw new DataError(`${empty.name} has no numbers`);
  return arrays;
}

/** What should be known of bins that are not of the responses themselves. */
function notesOf(
  entry: Representation,
  represented: RepresentedData,
  { name, arrays }: FittedRepresentation,
): string[] {
  return [
    ...(entry.notes?.(represented, arrays) ?? []),
    `D_sol, eps_quant and the variance explained are those of ${entry.rowsCalled} (representation ${name}), not of responses.`,
  ];
}

const costNote = (name: string): string =>
  `The cost between bins is ${isCostName(name) ? name : `that of ${name}`}: D_sol is in its unit.`;
