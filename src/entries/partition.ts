// `pde-dirichlet/partition`: split data among clients, measure the split, exchange it with other tools. Runs in browsers.
export { type Fields, fieldSize, fieldsInMemory } from "../datasets/fields.js";
export type { SampleArray, SampleArrays } from "../datasets/sample-arrays.js";
export { type Diagnostics, type DiagnosticsInput, diagnose } from "../diagnostics/diagnose.js";
export {
  type InputDistances,
  type InputSpace,
  inputDistances,
  inputSpace,
} from "../diagnostics/input-distance.js";
export { METRIC_MEANINGS, type Metrics } from "../diagnostics/metrics.js";
export { DataError, FileError, FormatError, OptionError, UserError } from "../errors.js";
export type { ExportContext, ExportedFile, ExportFormat } from "../exchange/export-format.js";
export { EXPORTS, type ExportName } from "../exchange/exports.js";
export { type ReadPartitionOptions, readPartition } from "../exchange/foreign-partition.js";
export { assignmentOf, type PartitionFile, parsePartition } from "../exchange/parse-partition.js";
export {
  binsSha256,
  type Provenance,
  partitionArrays,
  partitionJson,
} from "../exchange/partition-file.js";
export { readCentroids, readCost, readCounts } from "../exchange/statistics.js";
export { type CostMatrix, centroidCosts, costMatrix } from "../numerics/cost-matrix.js";
export { inlineThreads, type Threads } from "../numerics/kernels/threads.js";
export { type Assignment, countTable, indicesOfClients, type Repair } from "../partition/assignment.js";
export { applyBins, type BinModel, binCost, fitBins, type SolutionBins } from "../partition/bins.js";
export type { BinFields, CostContext, GivenCost, GroundCost } from "../partition/ground-cost.js";
export { type CostChoice, GROUND_COSTS, type GroundCostName } from "../partition/ground-costs.js";
export { applyNormalisation, type NormalisedResponses, normaliseResponses } from "../partition/normalise.js";
export {
  type DirichletPartition,
  drawPartition,
  type Partition,
  type PartitionerData,
  type PartitionOptions,
  partitionBins,
} from "../partition/partition.js";
export { BIN_OPTIONS, CLIENT_OPTIONS, PARTITION_OPTIONS } from "../partition/partition-options.js";
export type {
  AttributeValues,
  Draw,
  DrawOptions,
  GivenClients,
  Intention,
  Known,
  Partitioner,
  PartitionerChoice,
  Wanted,
} from "../partition/partitioner.js";
export { DIRICHLET_OPTIONS } from "../partition/partitioners/dirichlet.js";
export { PARTITIONERS, type PartitionerName } from "../partition/partitioners.js";
export { REPAIR_RULES, type RepairRule } from "../partition/repair.js";
export type { FittedRepresentation, Representation, RepresentedData } from "../partition/representation.js";
export { REPRESENTATIONS, type RepresentationName } from "../partition/representations.js";
export type { Units } from "../partition/units.js";
export {
  type BinnedData,
  type Binning,
  type BinningOptions,
  binData,
  type DataToPartition,
  openBinning,
} from "../pipeline/binned-data.js";
export {
  diagnosticsInput,
  type MeasuredPartition,
  measurePartition,
  partitionBinned,
} from "../pipeline/measured-partition.js";
export { type PartitionDatasetOptions, partitionDataset } from "../pipeline/partition-dataset.js";
export {
  type PartitionRun,
  type PartitionRunResult,
  type PartitionRunsOptions,
  partitionRuns,
} from "../pipeline/partition-runs.js";
export { findAlpha, type TargetSearch } from "../pipeline/target-distance.js";
