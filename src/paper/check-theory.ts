import { join } from "node:path";
import { counted } from "../analysis/numbers.js";
import { list } from "../analysis/phrases.js";
import type { Progress } from "../datasets/generate.js";
import { taskOf } from "../datasets/tasks.js";
import { runModel } from "../federation/chosen-model.js";
import { generatedShapes } from "../federation/generated-shapes.js";
import { prepareData } from "../federation/prepared-data.js";
import type { RunOptions } from "../federation/run-options.js";
import type { Output } from "../files/disk.js";
import { parameterCount } from "../models/parameter-layout.js";
import type { TrainableModel as Operator } from "../models/trainable-model.js";
import { DEFAULT_BINS } from "../partition/bins.js";
import { VERSION } from "../version.js";
import { activationName } from "./theory/cases.js";
import { checkedModel } from "./theory/checked-models.js";
import { type TheoryPageOptions, theoryMarkdown } from "./theory/page.js";
import type { Prediction } from "./theory/prediction.js";
import {
  type Evidences,
  type OpenSetting,
  PREDICTION_NAMES,
  PREDICTIONS,
  type PredictionName,
} from "./theory/predictions.js";
import type { OnProgress } from "./theory/setting.js";
import { openTheoryProblems, type TheoryProblems } from "./theory/theory-problem.js";
import { THEORY_FIGURES } from "./theory-figures/theory-figures.js";

/** The name and version of evidence.json. */
const SCHEMA = "pde-dirichlet/theory/1";

export interface CheckTheoryOptions {
  /** Which predictions; all unless told otherwise. */
  readonly only?: readonly PredictionName[];
  /** Called when the data are being generated. */
  readonly onData?: Progress;
  /** Called before each prediction; what it returns is told how far the check is, and what came out. */
  readonly onPrediction?: (name: PredictionName) => {
    readonly update: OnProgress;
    readonly finish: (prediction: Prediction) => void;
  };
}

/** A prediction with what it was judged by. */
export interface CheckedPrediction {
  readonly prediction: Prediction;
  readonly evidence: Evidences[PredictionName];
  readonly svg: string;
}

export interface CheckedTheory {
  readonly options: RunOptions;
  readonly operator: Pick<Operator, "architecture" | "layout">;
  readonly checked: readonly CheckedPrediction[];
}

/** Checks predictions on the data, bins and operator of a task. */
export async function checkTheory(
  options: RunOptions,
  { only = PREDICTION_NAMES, onData, onPrediction }: CheckTheoryOptions = {},
): Promise<CheckedTheory> {
  const given = { options, data: await prepareData(options, { onProgress: onData }) };
  let opened: Promise<TheoryProblems> | undefined;
  const problems = () => {
    opened ??= openTheoryProblems(given);
    return opened;
  };
  const checked: CheckedPrediction[] = [];
  try {
    for (const name of PREDICTION_NAMES.filter((one) => only.includes(one))) {
      const progress = onPrediction?.(name);
      const one = await checkPrediction(name, { ...given, problems }, progress?.update);
      progress?.finish(one.prediction);
      checked.push(one);
    }
  } finally {
    await (await opened)?.close();
  }
  return { options, operator: given.data.operator, checked };
}

async function checkPrediction<Name extends PredictionName>(
  name: Name,
  setting: OpenSetting,
  onProgress?: OnProgress,
): Promise<CheckedPrediction> {
  return judged(name, await PREDICTIONS[name].gather(setting, onProgress));
}

function judged<Name extends PredictionName>(name: Name, evidence: Evidences[Name]): CheckedPrediction {
  const prediction = PREDICTIONS[name].conclude(evidence);
  return { prediction, evidence, svg: THEORY_FIGURES[name](evidence) };
}

/** What `evidence.json` holds. */
export interface TheoryRecord {
  readonly options: RunOptions;
  readonly predictions: readonly { readonly name: PredictionName; readonly evidence: unknown }[];
}

/** A check from its evidence, judged and drawn again: what takes minutes is not. */
export function recordedTheory({ options, predictions }: TheoryRecord): CheckedTheory {
  const operator = runModel(options, generatedShapes(options.task, options.parameters));
  const checked = predictions.map(({ name, evidence }) => judged(name, evidence as Evidences[typeof name]));
  return { options, operator, checked };
}

/** Where the files of a check go, relative to its folder. */
export interface TheoryFiles extends TheoryPageOptions {
  /** Default "theory.md". */
  readonly page?: string;
  /** The command line that the page states. */
  readonly command: string;
}

/** The page, the figures and the evidence as files in a folder. */
export function theoryOutputs(
  { options, operator, checked }: CheckedTheory,
  folder: string,
  files: TheoryFiles,
): Output[] {
  const { page = "theory.md", figures = "figures", evidence = "evidence.json", command } = files;
  const text = (name: string, content: string): Output => ({
    path: join(folder, name),
    bytes: new TextEncoder().encode(content),
  });
  const predictions = checked.map(({ prediction }) => prediction);
  const title = taskOf(options.task).title;
  const markdown = theoryMarkdown(
    {
      title: `The theory, checked on ${title}`,
      predictions,
      facts: [...factsOf(options), ["Operator", operatorFact(options, operator)], ...SCALE],
      commands: [command],
    },
    { figures, evidence },
  );
  const findings = checked.map(({ prediction, evidence: numbers }) => ({
    name: prediction.name,
    labels: prediction.labels,
    findings: prediction.findings,
    evidence: numbers,
  }));
  const record = { schema: SCHEMA, version: VERSION, options, predictions: findings };
  return [
    text(page, markdown),
    ...checked.map(({ prediction, svg }) => text(join(figures, `${prediction.name}.svg`), svg)),
    text(evidence, `${JSON.stringify(record, plainArrays)}\n`),
  ];
}

/** What was checked, and where it is smaller than the paper's. */
function factsOf(options: RunOptions): (readonly [string, string])[] {
  const { task, parameters, train, test, bins, clients, minSize, seed, model } = options;
  const paper = taskOf(task);
  const given = (values: Readonly<Record<string, number | string>>) =>
    Object.entries(values).map(([name, value]) => `${name} ${value}`);
  const smaller = [
    ...(train < paper.train ? [`${paper.train} training samples`] : []),
    ...(test < paper.test ? [`${paper.test} test samples`] : []),
    ...(bins < DEFAULT_BINS ? [`${DEFAULT_BINS} bins`] : []),
    ...Object.entries(paper.parameters).flatMap(([name, value]) =>
      parameters[name] === value ? [] : [`${name} ${value}`],
    ),
    ...(Object.keys(model).length > 0 ? ["a larger operator"] : []),
  ];
  return [
    ["Task", [paper.equation, ...given(parameters)].join("; ").replace(/->/g, "→")],
    [
      "Data",
      `${train} training and ${test} test samples, simulated by pde-dirichlet ${VERSION}, seed ${seed}`,
    ],
    [
      "Partitions",
      `${bins} bins; ${clients} clients where not said otherwise, none below ${counted(minSize, "sample")}`,
    ],
    ...(smaller.length > 0
      ? [["To take minutes", `smaller than the paper's, which has ${list(smaller)}`] as const]
      : []),
  ];
}

/** Its kind and sizes, and the activations with which statements are checked. */
function operatorFact(
  options: RunOptions,
  { architecture: { name, ...sizes }, layout }: Pick<Operator, "architecture" | "layout">,
): string {
  const { smooth, kinked } = checkedModel(options);
  const chosen = Object.entries(sizes).flatMap(([key, value]) =>
    key === "activation" ? [] : [`${key} ${value}`],
  );
  return (
    `${name} (${chosen.join(", ")}), ${parameterCount(layout)} parameters; ${activationName({ activation: smooth })} where ` +
    `statements want it smooth, ${activationName({ activation: kinked })} beside it`
  );
}

const SCALE = [
  ["Numbers", "without units, in double precision; losses are mean squared errors over samples and points"],
] as const;

/** Typed arrays as lists of numbers. */
function plainArrays(_: string, value: unknown): unknown {
  return ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
}
