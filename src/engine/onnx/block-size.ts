import { BLOCKED, OnnxGraph } from "./graph.js";
import { InferenceSession, OrtTensor } from "./onnx-runtime.js";

let found: Promise<number> | undefined;

/**
 * How many channels lie side by side in ONNX Runtime's own layout of fields on this processor: 16 or 8, by its vector
 * registers, or 1 where there is no such layout. It is asked by having four channels laid out, which fills up a block.
 */
export function blockSize(): Promise<number> {
  found ??= ask().catch(() => 1);
  return found;
}

async function ask(): Promise<number> {
  const graph = new OnnxGraph(["fields", "blocks"]);
  const fields = graph.input("fields", [1, 4, 1, 1], "float");
  graph.output("blocks", graph.node("ReorderInput", [fields], {}, BLOCKED), [1, "block", 1, 1], "float");
  const session = await InferenceSession.create(graph.serialise(), { logSeverityLevel: 4 });
  const { blocks } = await session.run({
    fields: new OrtTensor("float32", new Float32Array(4), [1, 4, 1, 1]),
  });
  await session.release();
  return blocks.dims[1];
}
