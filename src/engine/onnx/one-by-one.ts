import { elements } from "../../numerics/shape.js";
import { leadingOf } from "../convolution.js";
import type { Encoding } from "./encoding.js";

type Convolution = "convolve" | "convolveBack" | "convolveKernel";

/** Convolutions of several clients, one client after another: those of ONNX know no axes before the samples. */
export function oneByOne<K extends Convolution>(encoding: Encoding<K>): Encoding<K> {
  return (inputs, attributes, place) => {
    const { graph, operands, result } = place;
    const leading = leadingOf(result.shape);
    if (leading.length === 0) return encoding(inputs, attributes, place);
    const clients = elements(leading);
    const own = operands.map(({ shape }) => ({ shape: shape.slice(-4) }));
    const all = inputs.map((name, i) => graph.reshape(name, [clients, ...own[i].shape]));
    const results = Array.from({ length: clients }, (_, client) => {
      const ofClient = all.map((name) => graph.node("Gather", [name, graph.index(client)], { axis: 0 }));
      const made = encoding(ofClient, attributes, {
        ...place,
        operands: own,
        result: { shape: result.shape.slice(-4) },
      });
      return graph.reshape(made, [1, ...result.shape.slice(-4)]);
    });
    return graph.reshape(graph.node("Concat", results, { axis: 0 }), result.shape);
  };
}
