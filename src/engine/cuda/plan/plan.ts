import type { TensorType } from "../../program.js";
import type { Shape } from "../../shape.js";
import { type Expression, type Load, lookups, type Place, partsOf } from "./expressions/expression.js";
import type { Lines } from "./fusion/line-sums.js";
import { factorsOf, type Product } from "./layout/products.js";
import type { ReductionLayout } from "./layout/reductions.js";

/** Memory for numbers of four bytes. */
export interface Buffer {
  readonly id: number;
  readonly dtype: TensorType;
  readonly size: number;
  readonly location: Location;
}

/**
 * Inputs and constants have memory of their own; all else shares the arena, `offset` numbers from its beginning. A
 * buffer may be written over another one, element by element: it then lies `within` that one's memory.
 */
export type Location =
  | { readonly kind: "input"; readonly input: string }
  | { readonly kind: "constant"; readonly values: Float32Array | Float64Array | Int32Array }
  | { readonly kind: "arena"; readonly offset: number; readonly within: number };

export interface Store extends Place {
  readonly value: Expression;
}

/** Computes `size` elements, counted by the variable i, each on its own. */
export interface MapJob {
  readonly kind: "map";
  readonly size: number;
  readonly stores: readonly Store[];
}

/**
 * Sums `value` over r = 0, ..., length - 1 for each output o, in chunks c; `index` says where the sum goes. What is
 * computed on the way may be stored as well.
 */
export interface ReduceJob {
  readonly kind: "reduce";
  readonly layout: ReductionLayout;
  readonly sums: readonly Store[];
  readonly stores: readonly Store[];
}

export type Job = MapJob | ReduceJob;

/**
 * What the device is told, one after another. Steps of the same stage, and the jobs of a launch, are independent of
 * each other and could be done at the same time. A product with an epilogue has a kernel of ours, which stores what
 * becomes of each element, counted by the variables n (of the batch), row and column; others are left to a library,
 * which leaves them in `c`.
 */
export type Step = { readonly stage: number } & (
  | { readonly kind: "launch"; readonly jobs: readonly Job[] }
  | ({
      readonly kind: "product";
      readonly epilogue?: readonly Store[];
      readonly sums?: readonly FactorStore[];
      readonly lines?: readonly LineStore[];
    } & Product)
  | ({ readonly kind: "backward" } & BackwardLayer)
  | ({ readonly kind: "transformed" } & TransformedLayer)
  | { readonly kind: "copy"; readonly to: number; readonly from: number; readonly size: number }
);

/**
 * A layer Y = X W on its way back, of which one kernel makes all: Y once more, the derivative G that its epilogue makes
 * of it, and from G, which is not stored, the derivatives by X and by W.
 */
export interface BackwardLayer {
  /** Y = X W, whose epilogue is G alone, and sums of columns over so many rows that `weights.inner` is a multiple. */
  readonly layer: OwnProduct;
  /** G times another matrix, as a rule W^T. */
  readonly inputs: OwnProduct;
  /** X^T G over parts of the rows. */
  readonly weights: OwnProduct;
}

/**
 * A layer of a Fourier neural operator, whose product is a transform back along an axis, with a layer at each point added as
 * a rule, and the transform along that axis of what becomes of it, which one kernel computes while it has it.
 */
export interface TransformedLayer {
  readonly layer: OwnProduct;
  /** A matrix times what the layer stores in `transform.b`. */
  readonly transform: OwnProduct;
}

/** A product that has a kernel of ours. */
export type OwnProduct = Extract<Step, { kind: "product" }> & {
  readonly epilogue: readonly Store[];
  readonly sums: readonly FactorStore[];
  readonly lines: readonly LineStore[];
};

/** Where a factor's sums over the inner axis go: those of the left one's rows, or of the right one's columns. */
export interface FactorStore extends Store {
  readonly side: 0 | 1;
}

/** Where sums go of what becomes of a product's elements; all that go into one have the same place. */
export interface LineStore extends Store, Lines {}

export function isOwn(step: Step): step is OwnProduct {
  return step.kind === "product" && step.epilogue !== undefined;
}

/** A step of one product or several that has a kernel of ours. */
export type OwnKernel = OwnProduct | Extract<Step, { kind: "backward" | "transformed" }>;

export function hasOwnKernel(step: Step): step is OwnKernel {
  return step.kind === "backward" || step.kind === "transformed" || isOwn(step);
}

/** A compiled program as plain data. */
export interface Plan {
  readonly buffers: ReadonlyMap<number, Buffer>;
  readonly steps: readonly Step[];
  /** Buffers by the names of inputs. */
  readonly inputs: ReadonlyMap<string, number>;
  /** Outputs that come back after a run, with their buffers. Carried ones are in their inputs' buffers by then. */
  readonly outputs: ReadonlyMap<string, { readonly buffer: number; readonly shape: Shape }>;
  /** How many rows the tables have that inputs of whole numbers are indices of: no index may be as large. */
  readonly rows: ReadonlyMap<string, number>;
  /** Numbers that the arena holds. */
  readonly arena: number;
}

/** Buffers that a step reads and writes. */
export function accessesOf(step: Step): { reads: ReadonlySet<number>; writes: ReadonlySet<number> } {
  switch (step.kind) {
    case "copy":
      return { reads: new Set([step.from]), writes: new Set([step.to]) };
    case "product": {
      const factors = factorsOf(step).map(({ buffer }) => buffer);
      if (!isOwn(step)) return { reads: new Set(factors), writes: new Set([step.c.buffer]) };
      const { reads, writes } = accessesOfStores([...step.epilogue, ...step.sums, ...step.lines]);
      return { reads: new Set([...factors, ...reads]), writes };
    }
    case "backward": {
      const within = derivativeOf(step).buffer;
      const all = [step.layer, step.inputs, step.weights].map(accessesOf);
      const others = (buffers: readonly number[]) => new Set(buffers.filter((buffer) => buffer !== within));
      return {
        reads: others(all.flatMap(({ reads }) => [...reads])),
        writes: others(all.flatMap(({ writes }) => [...writes])),
      };
    }
    case "transformed": {
      const [layer, transform] = [accessesOf(step.layer), accessesOf(step.transform)];
      const others = [...transform.reads].filter((buffer) => buffer !== step.transform.b.buffer);
      return {
        reads: new Set([...layer.reads, ...others]),
        writes: new Set([...layer.writes, ...transform.writes]),
      };
    }
    case "launch":
      return accessesOfStores(step.jobs.flatMap(storesOf));
  }
}

/** Where the derivative of a layer would be stored. */
export function derivativeOf({ layer }: BackwardLayer): Store {
  return layer.epilogue[0];
}

function accessesOfStores(stores: readonly Store[]) {
  return {
    reads: new Set(loadsOf(stores).map(({ buffer }) => buffer)),
    writes: new Set(stores.map(({ buffer }) => buffer)),
  };
}

/** All that a job writes. */
export function storesOf(job: Job): readonly Store[] {
  return job.kind === "map" ? job.stores : [...job.sums, ...job.stores];
}

/** All that stores read. */
export function loadsOf(stores: readonly Store[]): Load[] {
  const roots = stores.flatMap(({ value, index }) => [value, ...lookups(index)]);
  return partsOf(roots).filter((part) => part.kind === "load");
}

/** All places that stores read and write. */
export function placesOf(stores: readonly Store[]): Place[] {
  return [...loadsOf(stores), ...stores];
}
