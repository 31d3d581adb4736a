import { isDense } from "../layout/products.js";
import { type Accesses, accessesIn } from "../memory/in-place.js";
import { isOwn, loadsOf, type OwnProduct, type Step, type TransformedLayer } from "../plan.js";

/**
 * Fuses a layer of a Fourier neural operator with the transform of its result, where `hasKernel` has a kernel for both:
 * the transform then reads the layer's result from registers.
 */
export function withTransformedLayers(
  steps: readonly Step[],
  hasKernel: (layer: TransformedLayer) => boolean,
): Step[] {
  const accesses = accessesIn(steps);
  const fused = new Map<Step, Step[]>();
  for (const transform of steps) {
    const found = transformedLayer(transform, accesses);
    if (!found || fused.has(found.layer) || !isReady(found, accesses) || !hasKernel(found)) continue;
    fused.set(found.layer, [{ kind: "transformed", stage: found.layer.stage, ...found }]);
    fused.set(transform, []);
  }
  return steps.flatMap((step) => fused.get(step) ?? [step]);
}

/** A product whose right factor is what another one, to which a second may be added, stores row after row. */
function transformedLayer(transform: Step, { writers }: Accesses): TransformedLayer | undefined {
  if (!isOwn(transform) || transform.added || !isBare(transform)) return undefined;
  const { b, batch } = transform;
  const [layer, ...others] = writers.get(b.buffer) ?? [];
  if (!layer || others.length > 0 || !isOwn(layer) || !isBare(layer)) return undefined;
  const stored = layer.epilogue.filter(({ buffer }) => buffer === b.buffer);
  const isSame =
    stored.length === 1 &&
    isDense(stored[0].index, layer) &&
    stored[0].index.constant === b.offset &&
    !b.transposed &&
    b.groupStride === undefined &&
    b.rowStride === layer.columns &&
    b.batchStride === layer.rows * layer.columns &&
    batch === layer.batch &&
    transform.inner === layer.rows &&
    transform.columns === layer.columns;
  return isSame ? { layer, transform } : undefined;
}

const isBare = ({ sums, lines }: OwnProduct): boolean => sums.length === 0 && lines.length === 0;

/** Whether all but what the layer stores that the transform needs is there before the layer is computed. */
function isReady({ layer, transform }: TransformedLayer, { writers }: Accesses): boolean {
  const needed = [transform.a.buffer, ...loadsOf(transform.epilogue).map(({ buffer }) => buffer)];
  return needed.every((buffer) => (writers.get(buffer) ?? []).every(({ stage }) => stage < layer.stage));
}
