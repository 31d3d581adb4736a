import { isOwnLayout } from "./array-names.js";
import type { FileArray, FileData } from "./dataset.js";

/**
 * What determines the numbers that are read from a file, as plain data: names of runs are hashes of it. It leaves out
 * where files lie and what arrays are called in figures. For files in our own layout it is what earlier versions took.
 */
export function identityOf(data: FileData): unknown {
  const { sha256, sampleAxis = null, channels = null, inputs, responses, testing } = data;
  const isPlain =
    testing === undefined &&
    [inputs, responses].every((array) => array === undefined || hasUsualAxes(array)) &&
    (!inputs || !responses || isOwnLayout({ inputs: inputs.array ?? "", responses: responses.array ?? "" }));
  if (isPlain) return sampleAxis === null && channels === null ? sha256 : [sha256, sampleAxis, channels];
  return {
    sha256,
    sampleAxis,
    inputs: inputs && arrayIdentity(inputs),
    responses: responses && arrayIdentity(responses),
    test: testing === undefined ? null : "range" in testing ? testing.range : withoutFile(testing),
    coordinates: data.coordinates ?? {},
  };
}

/** Whether samples of three axes, and no others, have channels, as earlier versions took for granted. */
const hasUsualAxes = ({ axes }: FileArray): boolean =>
  axes.length <= 3 && (axes.length === 3) === (axes[0].kind === "channel");

function arrayIdentity({ array, sha256, order, axes }: FileArray) {
  return {
    array: array ?? null,
    sha256: sha256 ?? null,
    order: order ?? null,
    axes: axes.map(({ kind, length, coordinates }) => [kind, length, coordinates ?? null]),
  };
}

const withoutFile = ({ file: _, ...rest }: { readonly file?: string }): object => rest;
