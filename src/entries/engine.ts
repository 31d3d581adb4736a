// `pde-dirichlet/engine`: tensor programs with gradients of any order. Runs in browsers; `onnxBackend` is in `/node`.
export type { Backend, CompileOptions, Executable } from "../engine/backend.js";
export { gradient } from "../engine/gradient.js";
export { type EncodeOptions, encodeOnnx } from "../engine/onnx/encode.js";
export * as operations from "../engine/operations.js";
export { type AdamOptions, adam, type Optimizer, type SgdOptions, sgd } from "../engine/optimizers.js";
export { Program, type Tensor } from "../engine/program.js";
export { referenceBackend } from "../engine/reference.js";
export { type Shape, ShapeError } from "../engine/shape.js";
