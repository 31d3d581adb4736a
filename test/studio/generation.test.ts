import { describe, expect, it } from "vitest";
import {
  generate,
  generateSpecification,
  type Samples,
  sampleGenerator,
} from "../../src/datasets/generate.js";
import { generatedData } from "../../src/studio/lab/generated-data.js";
import type { SampleMaker } from "../../src/studio/lab/generation/generators.js";
import { sampleStore } from "../../src/studio/lab/generation/sample-store.js";

const OPTIONS = { task: "antiderivative", seed: 3, train: 21, test: 9 } as const;
const specification = generateSpecification(OPTIONS);

/** Makers that note what they are asked for, and whether they were closed. */
function noted(count: number) {
  const asked: string[] = [];
  let closed = 0;
  const samplesOf = sampleGenerator(specification);
  const makers = Array.from(
    { length: count },
    (): SampleMaker => ({
      async samples(split, start, end): Promise<Samples> {
        asked.push(`${split} ${start}`);
        await new Promise((resolve) => setTimeout(resolve));
        return samplesOf(split, start, end);
      },
      close: () => {
        closed++;
      },
    }),
  );
  return { asked, makers, closed: () => closed };
}

describe("samples that are made one after another", () => {
  it("are those of the command, in whatever order they are asked for", async () => {
    const whole = generate(OPTIONS);
    const data = generatedData(OPTIONS);
    for (const half of ["test", "train"] as const) {
      const { inputs, responses } = data[half]!;
      for (const i of [8, 0, 5]) {
        const expected = whole[half].responses.subarray(i * 100, (i + 1) * 100);
        expect([...(await responses.read(i, i + 1))]).toEqual([...expected]);
      }
      expect([...(await responses.read(0, responses.samples))]).toEqual([...whole[half].responses]);
      expect([...(await inputs!.read(2, inputs!.samples - 1))]).toEqual([
        ...whole[half].inputs.subarray(200, (inputs!.samples - 1) * 100),
      ]);
    }
    await data.close!();
  });

  it("come first where somebody waits for them", async () => {
    const { asked, makers, closed } = noted(1);
    const store = sampleStore(specification, () => makers);
    expect(asked).toEqual([]);
    const block = await store.block("test", 6);
    expect([block.split, block.start <= 6, block.end > 6]).toEqual(["test", true, true]);
    expect(asked[0]).toBe(`test ${block.start}`);
    expect([store.has("test", 6), store.has("train", 20)]).toEqual([true, false]);
    const steps: number[] = [];
    await store.complete("train", (done, total) => {
      steps.push(done);
      expect(total).toBe(21);
    });
    expect(steps.at(-1)).toBe(21);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    await store.complete("test");
    expect(new Set(asked).size).toBe(asked.length);
    expect(closed()).toBe(1);
  });

  it("are refused to those who wait while others take their place", async () => {
    const { makers, closed } = noted(2);
    const store = sampleStore(specification, () => makers);
    const waiting = store.complete("train");
    store.close();
    await expect(waiting).rejects.toThrow("the data were replaced");
    await expect(store.block("train", 20)).rejects.toThrow("the data were replaced");
    expect(closed()).toBeGreaterThanOrEqual(2);
  });

  it("pass on why one cannot be made", async () => {
    const maker: SampleMaker = {
      samples: async (split, start) => {
        if (split === "train" && start === 0) throw new Error("the solver diverged");
        return { samples: 1, inputs: new Float64Array(0), responses: new Float64Array(0) };
      },
      close: () => {},
    };
    const store = sampleStore(specification, () => [maker]);
    await expect(store.block("train", 0)).rejects.toThrow("the solver diverged");
    await expect(store.complete("train")).rejects.toThrow("the solver diverged");
    await expect(store.complete("test")).resolves.toBeUndefined();
  });
});
