import { factorsOf, isDense, type Matrix } from "../layout/products.js";
import { type Accesses, accessesIn } from "../memory/in-place.js";
import {
  accessesOf,
  type BackwardLayer,
  derivativeOf,
  isOwn,
  loadsOf,
  type OwnProduct,
  type Step,
} from "../plan.js";

/**
 * Fuses the backward pass of a layer into one step, where `hasKernel` has a kernel for it: the layer again, its
 * derivative, and the derivatives by inputs and by weights. The layer's derivative is then never stored.
 */
export function withBackwardLayers(
  steps: readonly Step[],
  kept: ReadonlySet<number>,
  hasKernel: (layer: BackwardLayer) => boolean,
): Step[] {
  const accesses = accessesIn(steps);
  const fused = new Map<Step, Step[]>();
  for (const layer of steps) {
    const found = backwardLayer(layer, accesses);
    if (!found || kept.has(derivativeOf(found).buffer) || !isBackward(found)) continue;
    const { inputs, weights } = found;
    const parts = [found.layer, inputs, weights];
    if (parts.some((step) => fused.has(step)) || !isReady(found, accesses) || !hasKernel(found)) continue;
    fused.set(layer, [{ kind: "backward", stage: layer.stage, ...found }]);
    for (const step of [inputs, weights]) fused.set(step, []);
  }
  return steps.flatMap((step) => fused.get(step) ?? [step]);
}

/** A product whose only result two others read, one as its left factor, the other as its right one, and nothing else. */
function backwardLayer(layer: Step, { readers, writers }: Accesses): BackwardLayer | undefined {
  if (!isOwn(layer) || layer.epilogue.length !== 1) return undefined;
  const [{ buffer }] = layer.epilogue;
  const products = readers.get(buffer) ?? [];
  if (writers.get(buffer)?.length !== 1 || products.length !== 2 || !products.every(isOwn)) return undefined;
  const inputs = products.find(({ a }) => a.buffer === buffer);
  const weights = products.find(({ b }) => b.buffer === buffer);
  if (!inputs || !weights || inputs === weights) return undefined;
  const loads = [inputs, weights].flatMap((one) => loadsOf([...one.epilogue, ...one.sums, ...one.lines]));
  const others = [inputs.b, weights.a, ...loads];
  return others.some((other) => other.buffer === buffer) ? undefined : { layer, inputs, weights };
}

/** Whether all but the derivative that its readers need is there before the layer is computed. */
function isReady(one: BackwardLayer, { writers }: Accesses): boolean {
  const { layer, inputs, weights } = one;
  const { buffer: derivative } = derivativeOf(one);
  return [inputs, weights]
    .flatMap((step) => [...accessesOf(step).reads])
    .filter((buffer) => buffer !== derivative)
    .every((buffer) => (writers.get(buffer) ?? []).every(({ stage }) => stage < layer.stage));
}

/** Whether these products are what they should be of each other, and all matrices lie one behind the other. */
function isBackward({ layer, inputs, weights }: BackwardLayer): boolean {
  const { rows, columns, inner, batch, a } = layer;
  const [{ index }] = layer.epilogue;
  const part = weights.inner;
  const isPlain = [layer, inputs, weights].every(
    (one) => one.group === undefined && factorsOf(one).length === 2 && !factorsOf(one).some(hasPatches),
  );
  const goesOn = (matrix: Matrix, height: number, count: number) =>
    count === 1 || matrix.batchStride === height * matrix.rowStride;
  const isDerivative = (matrix: Matrix, height: number, count: number) =>
    !matrix.transposed &&
    matrix.rowStride === columns &&
    matrix.offset === index.constant &&
    goesOn(matrix, height, count);
  return (
    isPlain &&
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

const hasPatches = ({ patches }: Matrix): boolean => patches !== undefined;

const isBare = ({ epilogue, lines }: OwnProduct): boolean => epilogue.length > 0 && lines.length === 0;
