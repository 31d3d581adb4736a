import { shapesOf } from "../../datasets/dataset.js";
import { type Work, workOf } from "../../engine/program-work.js";
import { chosenModel } from "../../federation/chosen-model.js";
import { averageRound } from "../../federation/rounds/average-round.js";
import { type RunOptions, runOptions } from "../../federation/run-options.js";
import { fieldSize } from "../../models/model.js";
import { buildModel, modelOf } from "../../models/models.js";
import { parameterCount } from "../../models/parameter-layout.js";
import { givenRun } from "./given-run.js";
import type { RunChanges } from "./run-list.js";
import type { RunPlan, TrainingRequest } from "./trainer.js";

/** Seconds that each takes in WebAssembly on one core of 2.5 GHz. Estimates are right within a factor of two. */
const SECONDS: Work = { products: 3e-11, numbers: 1.5e-9, operations: 2e-6 };

/** What a run will be. */
export function planRun(request: TrainingRequest, run: RunChanges): RunPlan {
  const { settings, data } = request;
  const options = runOptions(givenRun(settings, run, data));
  const { name, options: values } = chosenModel(options);
  const shapes = shapesOf(data.description, data.coordinates);
  const operator = buildModel(name, shapes, values);
  const sizes = { inputs: fieldSize(shapes.inputs), responses: fieldSize(shapes.responses) };
  const work = workOf(averageRound(operator, sizes, data.description.train, options));
  const usual = runOptions(givenRun({ ...settings, size: "usual" }, run, data));
  return {
    model: modelWords(options, operator.architecture),
    parameters: parameterCount(operator.layout),
    batch: options.batch,
    seconds: secondsOf(work),
    isSmaller: JSON.stringify([options.batch, options.model]) !== JSON.stringify([usual.batch, usual.model]),
  };
}

const secondsOf = (work: Work): number =>
  work.products * SECONDS.products + work.numbers * SECONDS.numbers + work.operations * SECONDS.operations;

function modelWords(options: RunOptions, architecture: Readonly<Record<string, string | number>>): string {
  const { title, options: declared } = modelOf(chosenModel(options).name);
  const sizes = Object.entries(declared)
    .filter(([option, { kind }]) => kind === "whole" && Number(architecture[option]) > 0)
    .map(([option]) => `${option} ${architecture[option]}`);
  return [title, ...sizes].join(", ");
}
