import { accessesIn } from "./in-place.js";
import { type Index, strides } from "./index-algebra.js";
import { accessesOf, type BackwardLayer, derivativeOf, isOwn, type OwnProduct, type Step } from "./plan.js";
import type { Matrix } from "./products.js";

/**
 * Steps of which layers on their way back are one, where there is a kernel that `suits`: the derivative of a wide layer,
 * which is read for that by its inputs and that by its weights and by nothing else, need then not be stored.
 */
export function withBackwardLayers(
  steps: readonly Step[],
  kept: ReadonlySet<number>,
  suits: (layer: BackwardLayer) => boolean,
): Step[] {
  const { readers, writers } = accessesIn(steps);
  const joined = new Map<Step, Step[]>();
  for (const layer of steps) {
    const found = backwardLayer(layer, readers);
    if (!found || kept.has(derivativeOf(found).buffer) || !isBackward(found)) continue;
    const { inputs, weights } = found;
    const needed = [inputs, weights].flatMap((step) => [...accessesOf(step).reads]);
    const isReady = needed.every((buffer) =>
      (writers.get(buffer) ?? []).every((writer) => writer === layer || writer.stage < layer.stage),
    );
    if (!isReady || !suits(found)) continue;
    joined.set(layer, [{ kind: "backward", stage: layer.stage, ...found }]);
    for (const step of [inputs, weights]) joined.set(step, []);
  }
  return steps.flatMap((step) => joined.get(step) ?? [step]);
}

/** A product all of whose results are read by two others, as the left factor of one and the right factor of the other. */
function backwardLayer(
  layer: Step,
  readers: ReadonlyMap<number, readonly Step[]>,
): BackwardLayer | undefined {
  if (!isOwn(layer) || layer.epilogue.length !== 1) return undefined;
  const [{ buffer }] = layer.epilogue;
  const products = readers.get(buffer) ?? [];
  if (products.length !== 2 || !products.every(isOwn)) return undefined;
  const inputs = products.find(({ a }) => a.buffer === buffer);
  const weights = products.find(({ b }) => b.buffer === buffer);
  return inputs && weights && inputs !== weights ? { layer, inputs, weights } : undefined;
}

/** Whether these products are what they should be of each other, and matrices lie one behind the other. */
function isBackward({ layer, inputs, weights }: BackwardLayer): boolean {
  const { rows, columns, inner, batch, a } = layer;
  const [{ index }] = layer.epilogue;
  const part = weights.inner;
  const isWhole = [layer, inputs, weights].every(({ added, group }) => !added && group === undefined);
  const goesOn = (matrix: Matrix, height: number, count: number) =>
    !matrix.patches && (count === 1 || matrix.batchStride === height * matrix.rowStride);
  const isDerivative = (matrix: Matrix, height: number, count: number) =>
    !matrix.transposed &&
    matrix.rowStride === columns &&
    matrix.offset === index.constant &&
    goesOn(matrix, height, count);
  return (
    isWhole &&
    isDense(index, layer) &&
    !a.transposed &&
    goesOn(a, rows, batch) &&
    layer.sums.length === 0 &&
    layer.lines.every(({ along, length }) => along === "column" && part % length === 0) &&
    inputs.rows === rows &&
    inputs.batch === batch &&
    inputs.inner === columns &&
    isDerivative(inputs.a, rows, batch) &&
    isBare(inputs) &&
    inputs.sums.length === 0 &&
    weights.rows === inner &&
    weights.columns === columns &&
    rows % part === 0 &&
    weights.batch === (batch * rows) / part &&
    isDerivative(weights.b, part, weights.batch) &&
    weights.a.transposed &&
    weights.a.buffer === a.buffer &&
    weights.a.offset === a.offset &&
    weights.a.rowStride === a.rowStride &&
    goesOn(weights.a, part, weights.batch) &&
    isBare(weights) &&
    weights.sums.every(({ side }) => side === 1)
  );
}

const isBare = ({ epilogue, lines }: OwnProduct): boolean => epilogue.length > 0 && lines.length === 0;

/** Whether elements of a product are stored row after row and matrix after matrix. */
function isDense(index: Index, { rows, columns, batch }: OwnProduct): boolean {
  const found = strides(index);
  return (
    found?.get("column") === 1 &&
    found.get("row") === columns &&
    (batch === 1 || found.get("n") === rows * columns)
  );
}
