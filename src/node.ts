// What needs Node: files, threads and pictures. Everything else is in the package's main entry.

export { describeSource } from "./datasets/describe-source.js";
export {
  type ConvertedFile,
  type ConvertOptions,
  convertFile,
} from "./datasets/files/convert/convert-file.js";
export { type Inspection, inspectFile } from "./datasets/files/inspect-file.js";
export {
  describeData,
  describeFile,
  describeLabelledFile,
  type FileChoice,
  openDataset,
  readFileData,
  readingInWords,
} from "./datasets/files/labelled-file.js";
export { type OpenData, openData } from "./datasets/files/open.js";
export { generateInThreads } from "./datasets/generate-threads.js";
export { generateToFile } from "./datasets/generated-file.js";
export { type ImportedFile, type ImportOptions, importToFile } from "./datasets/import/imported-file.js";
export { sourceDataset } from "./datasets/source-dataset.js";
export { onnxBackend } from "./engine/onnx/onnx-backend.js";
export { prepareData } from "./federation/prepared-data.js";
export {
  type Checkpoint,
  initialState,
  type TrainerState,
  type TrainHooks,
  type TrainResult,
  train,
} from "./federation/trainer.js";
export { toPdf } from "./figures/pdf.js";
export { toPng } from "./figures/raster.js";
export { openFile, writeFolder, writeOutputs } from "./files/disk.js";
export { openHdf5 } from "./files/hdf5.js";
export { writeHdf5 } from "./files/hdf5-writer.js";
export { nodeThreads } from "./numerics/kernels/node-threads.js";
export { PAPER_ADDITIONS } from "./paper/additions.js";
export {
  type CheckedTheory,
  type CheckTheoryOptions,
  checkTheory,
  theoryOutputs,
} from "./paper/check-theory.js";
// Studies
export { type FinishedRun, readFinishedRun } from "./records/run-folder.js";
export type { ReportAdditions } from "./report/additions.js";
export { type ReportOptions, readRecords, writeReport } from "./report/write-report.js";
export { collectRecords } from "./studies/collect-records.js";
export { processRunner } from "./studies/execution/process-runner.js";
export { type ReplicaRunnerOptions, replicaRunner } from "./studies/execution/replicas-runner.js";
export { inlineRunner, type Runner } from "./studies/execution/runner.js";
export { type PlannedRun, planStudy, type StudyPlan } from "./studies/plan.js";
export { readSpecification } from "./studies/read-specification.js";
export type { StudySpecification } from "./studies/specification.js";
export { runStudy, type StudyOutcome } from "./studies/study.js";
export { verifyStudy } from "./studies/verify.js";
