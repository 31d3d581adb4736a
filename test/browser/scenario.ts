import {
  binCost,
  binsSha256,
  fieldsInMemory,
  findAlpha,
  generate,
  partitionArrays,
  partitionDataset,
  partitionJson,
} from "../../src/index.js";
import { everyPartitioner } from "../pipeline/every-partitioner.js";

/** Hashes and numbers of whole partitions: equal on two platforms only if every bit of them is. */
export async function scenario(): Promise<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  for (const [task, train] of [
    ["antiderivative", 300],
    ["diffusion-reaction", 60],
    ["burgers", 24],
  ] as const) {
    const data = generate({ task, seed: 42, train, test: 1 });
    result[`${task} responses`] = await sha256(data.train.responses);
    const responses = fieldsInMemory(data.train.responses, train, data.responseShape);
    const inputs = fieldsInMemory(data.train.inputs, train, data.inputShape);
    for (const alpha of [0.01, 0.3, 100]) {
      const options = { clients: 6, bins: 7, alpha, seed: 999, minSize: 3 };
      const measured = await partitionDataset({ responses, inputs }, options);
      const { bins, partition } = measured;
      const provenance = {
        version: "",
        data: "",
        dataSha256: "",
        binsSha256: await binsSha256(bins),
        arrays: "",
      };
      result[`${task} ${alpha}`] = partitionJson(measured, provenance);
      for (const [name, entry] of Object.entries(partitionArrays(measured))) {
        result[`${task} ${alpha} ${name}`] = await sha256(ArrayBuffer.isView(entry) ? entry : entry.values);
      }
      result[`${task} ${alpha} target`] = findAlpha(partition.binOfSample, binCost(bins), {
        ...options,
        target: 0.8,
      }).tried;
    }
  }
  const data = generate({ task: "diffusion-reaction", seed: 42, train: 60, test: 1 });
  const responses = fieldsInMemory(data.train.responses, 60, data.responseShape);
  const responseAxes = async () => data.responseShape.map(() => "space" as const);
  for (const representation of ["pca:5", "spectrum", "gradient"]) {
    const options = { clients: 5, bins: 4, alpha: 0.3, seed: 3, minSize: 3, representation, cost: "h1" };
    const { bins, diagnostics } = await partitionDataset({ responses, responseAxes }, options);
    result[`${representation} bins`] = await binsSha256(bins);
    result[`${representation} metrics`] = diagnostics.metrics;
  }
  for (const [name, { partition, diagnostics }] of await everyPartitioner()) {
    const { clientOfSample, target = [], sizes = [], repairs } = partition;
    result[`${name} clients`] = await sha256(clientOfSample);
    result[`${name} intention`] = await sha256(
      Float64Array.from([...target.flatMap((row) => [...row]), ...Array.from(sizes)]),
    );
    result[`${name} repairs`] = repairs.length;
    result[`${name} metrics`] = diagnostics.metrics;
  }
  return result;
}

async function sha256(values: ArrayBufferView): Promise<string> {
  const bytes = new Uint8Array(values.buffer as ArrayBuffer, values.byteOffset, values.byteLength).slice();
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
