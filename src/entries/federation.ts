// `pde-dirichlet/federation`: train models on clients. Needs Node, since data come from files and the cache.
export type { Backend } from "../engine/backend.js";
export { onnxBackend } from "../engine/onnx/onnx-backend.js";
export { referenceBackend } from "../engine/reference.js";
export { type Federation, federate, type PreparedData } from "../federation/federation.js";
export { prepareData } from "../federation/prepared-data.js";
export { type GivenRunOptions, type RunOptions, runOptions } from "../federation/run-options.js";
export {
  type Checkpoint,
  initialState,
  type TrainerState,
  type TrainHooks,
  type TrainResult,
  train,
} from "../federation/trainer.js";
export type { DataShapes, FieldShape, Model } from "../models/model.js";
export { buildModel, defaultModel, MODELS, type ModelName, modelOf, refusal } from "../models/models.js";
export { type ParameterLayout, parameterCount, weightsOf } from "../models/parameter-layout.js";
export type { TrainableModel } from "../models/trainable-model.js";
