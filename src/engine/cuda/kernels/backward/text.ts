import { type BackwardLayer, type Buffer, derivativeOf, loadsOf } from "../../plan/plan.js";
import { epilogueText } from "../epilogue-text.js";
import { ExpressionText, memoryOf, type Pointed } from "../expression-text.js";
import { valuesText } from "../job-text.js";
import type { BackwardText } from "./kernel.js";

/** A layer's way back in CUDA C, and what it points to. */
interface Pointing {
  readonly text: BackwardText;
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly pointers: readonly Pointed[];
}

export function backwardText(one: BackwardLayer, buffers: ReadonlyMap<number, Buffer>): Pointing {
  const { layer, inputs, weights } = one;
  const computed = [derivativeOf(one), ...layer.lines];
  const written = new Set(layer.lines.map(({ buffer }) => memoryOf(buffers.get(buffer)!)));
  const text = new ExpressionText([...loadsOf(computed), ...layer.lines], buffers, written);
  const derivative = valuesText(text, computed);
  const [ofInputs, ofWeights] = [epilogueText(inputs, buffers, "u"), epilogueText(weights, buffers, "w")];
  const all = [
    { letter: "q", types: text.types, pointers: text.pointers },
    { letter: "u", ...ofInputs },
    { letter: "w", ...ofWeights },
  ];
  return {
    text: {
      derivative,
      lines: layer.lines.map((line) => `${text.place(line)} = value;\n`),
      inputs: ofInputs.results.elements,
      weights: ofWeights.results.elements,
      sums: ofWeights.results.sums[1],
    },
    names: all.flatMap(({ letter, types }) => types.map((_, i) => `${letter}${i}`)),
    types: all.flatMap(({ types }) => types),
    pointers: all.flatMap(({ pointers }) => pointers),
  };
}
