import { describeSource } from "../../datasets/describe-source.js";
import type { Fields } from "../../datasets/fields.js";
import { type GenerateOptions, generateSpecification, type Split } from "../../datasets/generate.js";
import { taskOf } from "../../datasets/tasks.js";
import { elements } from "../../numerics/shape.js";
import { type SampleStore, sampleStore } from "./generation/sample-store.js";
import type { LabData } from "./lab.js";

/**
 * Data of a built-in task: the same bits as those of the command line. A sample is made when somebody looks at it; the
 * others follow.
 */
export function generatedData(options: GenerateOptions): LabData {
  const { description, coordinates } = describeSource(options);
  const specification = generateSpecification(options);
  const { task, parameters } = specification;
  const { dtype, geometry } = taskOf(task);
  const { inputShape, responseShape } = geometry(parameters);
  const store = sampleStore(specification);
  const half = (split: Split) => ({
    inputs: fieldsOf(store, split, "inputs", { dtype, samples: specification[split], shape: inputShape }),
    responses: fieldsOf(store, split, "responses", {
      ...{ dtype, samples: specification[split], shape: responseShape },
    }),
  });
  return {
    origin: { kind: "task", options },
    description,
    coordinates,
    train: half("train"),
    ...(specification.test > 0 && { test: half("test") }),
    responseAxes: description.responses.axes.map(({ kind }) => kind),
    reading: [`${description.title}, ${description.origin}, seed ${description.seed}`],
    has: store.has,
    complete: store.complete,
    close: async () => store.close(),
  };
}

function fieldsOf(
  store: SampleStore,
  split: Split,
  which: "inputs" | "responses",
  stack: Pick<Fields, "dtype" | "samples" | "shape">,
): Fields {
  const size = elements(stack.shape);
  const Values = stack.dtype === "float32" ? Float32Array : Float64Array;
  return {
    ...stack,
    async read(start, end) {
      if (end - start > 1) await store.complete(split);
      const values = new Values((end - start) * size);
      for (let at = start; at < end; ) {
        const block = await store.block(split, at);
        const to = Math.min(end, block.end);
        const part = block[which].subarray((at - block.start) * size, (to - block.start) * size);
        if (at === start && to === end) return part;
        values.set(part, (at - start) * size);
        at = to;
      }
      return values;
    },
  };
}
