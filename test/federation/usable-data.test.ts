import { describe, expect, it } from "vitest";
import { fieldsInMemory, type LabelledFields } from "../../src/datasets/fields.js";
import { fitScaling } from "../../src/federation/scaling.js";
import { checkData } from "../../src/federation/usable-data.js";

const SHAPE = [2, 3];
const FIELD = { channels: 1, grid: SHAPE };
const SHAPES = { inputs: FIELD, responses: FIELD };
type Numbers = (i: number) => number;
const wave: Numbers = (i) => Math.sin(12.9898 * i);

function half(samples: number, inputs: Numbers, responses: Numbers, array = Float64Array): LabelledFields {
  const fields = (number: Numbers) =>
    fieldsInMemory(
      new array(samples * 6).map((_, i) => number(i)),
      samples,
      SHAPE,
    );
  return { inputs: fields(inputs), responses: fields(responses) };
}

/** Checks data that are fine but for what is given. */
async function checked(
  {
    inputs = wave,
    responses = wave,
    testInputs = inputs,
    testResponses = responses,
  }: Partial<Record<"inputs" | "responses" | "testInputs" | "testResponses", Numbers>>,
  normalise: "none" | "standard" = "none",
): Promise<string[]> {
  const train = half(20, inputs, responses);
  const test = half(5, testInputs, testResponses);
  return checkData({ train, test }, await fitScaling(train, normalise, SHAPES), "d.h5");
}

const at =
  (place: number, value: number): Numbers =>
  (i) =>
    i === place ? value : wave(i);
const times =
  (factor: number): Numbers =>
  (i) =>
    factor * wave(i);

describe("data to train on", () => {
  it("pass without a word where nothing is odd", async () => {
    expect(await checked({})).toEqual([]);
    expect(await checked({ responses: times(1e-5), inputs: times(1e5) })).toEqual([]);
    expect(await checked({ responses: times(1e-30) }, "standard")).toEqual([]);
  });

  it("are refused by name with a number that is not finite", async () => {
    await expect(checked({ testResponses: at(10, Number.NaN) })).rejects.toThrow(
      "the test responses of d.h5 have NaN in sample 1, position [1, 1]: values must be finite",
    );
    await expect(checked({ inputs: at(6, -Infinity), testInputs: wave })).rejects.toThrow(
      "the training inputs of d.h5 have -Infinity in sample 1, position [0, 0]",
    );
  });

  it("are refused with a number beyond float32, whose range is said", async () => {
    await expect(checked({ inputs: at(0, 1e300) })).rejects.toThrow(
      "the training inputs of d.h5 have 1e+300 in sample 0, position [0, 0], which exceeds float32's range (up to 3.4e+38)",
    );
    await expect(checked({ responses: times(1e39) })).rejects.toThrow(
      /training responses .* exceeds float32's range/,
    );
    expect(await checked({ responses: times(1e37) }, "standard")).toEqual([]);
  });

  it("are refused where they are all zero", async () => {
    await expect(checked({ testResponses: () => 0 })).rejects.toThrow("the test responses of d.h5 are all 0");
  });

  it.each([1e-30, 1e-7, 1e11, 1e19])("are refused at a scale of %f, with the way out", async (scale) => {
    const expected =
      /the training responses of d\.h5 have a root mean square of [\d.e+-]+, .*--normalise standard/;
    await expect(checked({ responses: times(scale) })).rejects.toThrow(expected);
  });

  it("are refused with inputs from which gradients would overflow or vanish", async () => {
    for (const scale of [1e-30, 1e8])
      await expect(checked({ inputs: times(scale) })).rejects.toThrow(
        /the training inputs of d\.h5 have a root mean square/,
      );
  });

  it("are refused where the test set is of another scale than the training set", async () => {
    for (const scale of [1e-9, 1e11])
      await expect(checked({ testResponses: times(scale) }, "standard")).rejects.toThrow(
        /the test responses of d\.h5 have a root mean square of .* standard deviations of the training set/,
      );
  });

  it("are warned of where an offset leaves float32 few digits, with their number", async () => {
    const shifted = (offset: number) => ({ responses: (i: number) => offset + wave(i) });
    expect(await checked(shifted(1e9))).toEqual([
      expect.stringMatching(/differ by about 0\.7\d* around a mean of 1\.0e\+9: .* keeps 0 of 7 digits/),
    ]);
    expect(await checked(shifted(2e5))).toEqual([
      expect.stringMatching(
        /^the training responses of d\.h5 differ by about 0\.7\d* around a mean of 2\.0e\+5: float32 keeps 1 of 7 digits of the differences; normalise them/,
      ),
    ]);
    expect(await checked(shifted(1e3))).toEqual([]);
    expect(await checked(shifted(2e5), "standard")).toEqual([]);
    expect(await checked({ inputs: (i) => 2e5 + wave(i) })).toEqual([
      expect.stringContaining("the training inputs of d.h5 differ by about"),
    ]);
  });

  it("are warned of too where normalisation comes too late: after they were stored in float32", async () => {
    const train = half(20, wave, (i) => 2e5 + wave(i), Float32Array as never);
    const data = { train, test: train };
    expect(await checkData(data, await fitScaling(train, "standard", SHAPES), "d.h5")).toEqual([
      expect.stringMatching(
        /keeps 1 of 7 digits of the differences; subtract their mean before you store them$/,
      ),
    ]);
  });

  it("are warned of where a mean sample hides the differences though all are normalised", async () => {
    const profile: Numbers = (i) => 1e5 * ((i % 6) + 1) + wave(i);
    expect(await checked({ responses: profile }, "standard")).toEqual([
      expect.stringMatching(
        /keeps 1 of 7 digits of the differences; subtract their mean before you store them$/,
      ),
    ]);
  });
});
