// Results from seed-level records

export type { Axis as StudyAxis } from "./analysis/axes/axes.js";
export type { Case } from "./analysis/cases.js";
export { findings } from "./analysis/findings.js";
export { distinctRecords } from "./analysis/observations.js";
export type { Published } from "./analysis/published.js";
export type { RecordFigure, Report } from "./analysis/report.js";
export { resultsMarkdown } from "./analysis/report-markdown.js";
export { reportPage } from "./analysis/report-page.js";
export { reportSummary } from "./analysis/report-summary.js";
// Mathematics
export { mean, meanInterval, pearson, spearman, standardDeviation } from "./analysis/statistics.js";
export { reportSubject, type Subject } from "./analysis/subject.js";
export { reportTables } from "./analysis/tables/report-tables.js";
export type { Table } from "./analysis/tables/table.js";
export { csvTable, latexTable, markdownTable } from "./analysis/tables/table-formats.js";
// Data
export {
  type Axis,
  type AxisKind,
  type Coordinates,
  type Dataset,
  type DatasetDescription,
  type FileData,
  shapesOf,
} from "./datasets/dataset.js";
export { type Fields, fieldSize, fieldsInMemory } from "./datasets/fields.js";
export { type GeneratedData, type GenerateOptions, generate } from "./datasets/generate.js";
export type { DataSource } from "./datasets/source.js";
export { SOURCE_NAMES, SOURCES, sourceOf } from "./datasets/sources.js";
export { TASK_NAMES, type Task, type TaskName, taskOf } from "./datasets/tasks.js";
// Diagnostics
export {
  allocationHeterogeneity,
  expectedHeterogeneity,
  expectedRealisedHeterogeneity,
  heterogeneityVariance,
  impliedConcentration,
} from "./diagnostics/concentration-law.js";
export { type Diagnostics, type DiagnosticsInput, diagnose } from "./diagnostics/diagnose.js";
export { hellinger, jensenShannon, totalVariation } from "./diagnostics/divergences.js";
export {
  type InputDistances,
  type InputSpace,
  inputDistances,
  inputScale,
  inputSpace,
} from "./diagnostics/input-distance.js";
export { METRIC_MEANINGS, type Metrics } from "./diagnostics/metrics.js";
// Engine
export type { Backend, CompileOptions, Executable } from "./engine/backend.js";
export { gradient } from "./engine/gradient.js";
export { type EncodeOptions, encodeOnnx } from "./engine/onnx/encode.js";
export * as operations from "./engine/operations.js";
export { type AdamOptions, adam, type Optimizer, type SgdOptions, sgd } from "./engine/optimizers.js";
export { Program, type Tensor } from "./engine/program.js";
export { referenceBackend } from "./engine/reference.js";
export { type Shape, ShapeError } from "./engine/shape.js";
export { DataError, FileError, FormatError, OptionError, UserError } from "./errors.js";
// Exchange
export type { ExportContext, ExportedFile, ExportFormat } from "./exchange/export-format.js";
export { EXPORTS, type ExportName } from "./exchange/exports.js";
export { type ReadPartitionOptions, readPartition } from "./exchange/foreign-partition.js";
export { assignmentOf, type PartitionFile, parsePartition } from "./exchange/parse-partition.js";
export {
  binsSha256,
  partitionArrays,
  partitionJson,
} from "./exchange/partition-file.js";
export { readCentroids, readCost, readCounts } from "./exchange/statistics.js";
// Federation
export { type Federation, federate, type PreparedData } from "./federation/federation.js";
export { type GivenRunOptions, type RunOptions, runOptions } from "./federation/run-options.js";
export { metricCurves } from "./figures/metric-curves.js";
// Figures
export { clientBinHeatmap } from "./figures/partitions/client-bin-heatmap.js";
export { textHeatmap } from "./figures/partitions/text-heatmap.js";
export { reportFigures } from "./figures/report-figures.js";
export { type ByteSource, bytesInMemory } from "./files/byte-source.js";
export { openNpy, writeNpy } from "./files/npy.js";
export { openNpz, writeNpz } from "./files/npz.js";
// Models
export { glorotNormal } from "./models/initialisers.js";
export type { DataShapes, FieldShape, Model } from "./models/model.js";
export { buildModel, defaultModel, MODELS, type ModelName, modelOf, refusal } from "./models/models.js";
export { gridPoints } from "./models/output-points.js";
export { type ParameterLayout, parameterCount, weightsOf } from "./models/parameter-layout.js";
export type { TrainableModel } from "./models/trainable-model.js";
export { assignment } from "./numerics/assignment.js";
export { type CostMatrix, centroidCosts, costMatrix } from "./numerics/cost-matrix.js";
export { inlineThreads, type Threads } from "./numerics/kernels/threads.js";
export { pairwiseTransport, transport, transportDistance, transportSolver } from "./numerics/transport.js";
export { PAPER } from "./paper/published.js";
// Theory
export {
  type AlignmentTable,
  alignmentTable,
  mixtureDirection,
  mixtureDrift,
  profileCovariance,
  worstContrast,
} from "./paper/theory/alignment-table.js";
export { dispersionVariance, type NoiseMoments, noiseMoments } from "./paper/theory/batch-noise.js";
export { dirichletMoment, dirichletMoments } from "./paper/theory/dirichlet-moments.js";
export { dispersionBound, noisyDispersion } from "./paper/theory/dispersion-bounds.js";
export { driftCoefficient, driftDirection } from "./paper/theory/drift-direction.js";
export {
  expectedBinNoise,
  gradientBand,
  mixtureGradient,
  physicalBand,
  type RestrictedSingularValues,
  restrictedSingularValues,
} from "./paper/theory/evidence/bin-gradients.js";
export { FORMULAS } from "./paper/theory/formulas.js";
export { theoryMarkdown } from "./paper/theory/page.js";
export type { Finding, Prediction, Verdict } from "./paper/theory/prediction.js";
export {
  type DrawnProfiles,
  drawnProfiles,
  histogramsOf,
  massDeviation,
  profileError,
} from "./paper/theory/profiles.js";
export {
  type QuadraticWitness,
  witnessDrift,
  witnessFormula,
  witnessMinimum,
  witnessRiskDifference,
} from "./paper/theory/quadratic-witness.js";
export { type Remainder, type RemainderOrder, remainderOrder } from "./paper/theory/remainder-order.js";
export { heterogeneityBand, sharperLowerBound, transportBand } from "./paper/theory/transport-bounds.js";
export { weightedSpread } from "./paper/theory/weighted-centring.js";
export { type Assignment, countTable, indicesOfClients, type Repair } from "./partition/assignment.js";
// Partition
export { applyBins, type BinModel, binCost, fitBins, type SolutionBins } from "./partition/bins.js";
export { GROUND_COSTS, type GroundCostName } from "./partition/ground-costs.js";
export { applyNormalisation, type NormalisedResponses, normaliseResponses } from "./partition/normalise.js";
export { type Partition, type PartitionOptions, partitionBins } from "./partition/partition.js";
export { REPAIR_RULES, type RepairRule } from "./partition/repair.js";
export { REPRESENTATIONS, type RepresentationName } from "./partition/representations.js";
export { type MeasuredPartition, measurePartition } from "./pipeline/measured-partition.js";
export { type PartitionDatasetOptions, partitionDataset } from "./pipeline/partition-dataset.js";
export { findAlpha, type TargetSearch } from "./pipeline/target-distance.js";
export { RANDOM_ALGORITHM, type Stream, stream } from "./random/stream.js";
// Records
export type { RunTrace } from "./records/run-trace.js";
export { type SeedRecord, seedRecords } from "./records/seed-record.js";
export {
  readCsv as readRecordsCsv,
  readParquet as readRecordsParquet,
  writeCsv as writeRecordsCsv,
  writeParquet as writeRecordsParquet,
} from "./records/seed-table.js";
export { type Settings, settingKey } from "./records/settings.js";
export { VERSION } from "./version.js";
