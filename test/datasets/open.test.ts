import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DataNames, openData } from "../../src/datasets/files/open.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";

const folder = mkdtempSync(join(tmpdir(), "open-"));
const path = (name: string) => join(folder, name);
const U = { values: Float64Array.from({ length: 24 }, (_, i) => i / 7), shape: [4, 3, 2] };
const A = { values: Float32Array.from({ length: 20 }, (_, i) => i), shape: [4, 5] };

beforeAll(async () => {
  await writeHdf5(path("plain.h5"), { datasets: { "/responses": U, "/inputs": A, "/x": A } });
  await writeHdf5(path("groups.h5"), { datasets: { "/run/tensor": U, "/run/nu": A } });
  await writeHdf5(path("alone.h5"), { datasets: { "/some/where": U } });
  writeFileSync(path("deepxde.npz"), writeNpz({ X_train0: A, y_train: U, X_test0: A }));
  writeFileSync(path("u.npy"), writeNpy(U.values, U.shape));
  writeFileSync(path("a.npy"), writeNpy(A.values, A.shape));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function opened(file: string, names: DataNames = {}) {
  const data = await openData(path(file), names);
  try {
    const { responses, inputs, responsesName, inputsName } = data;
    return {
      names: [responsesName, inputsName],
      samples: responses.samples,
      shape: responses.shape,
      responses: await responses.read(1, 4),
      inputs: inputs && (await inputs.read(0, 4)),
    };
  } finally {
    await data.close();
  }
}

describe("labelled data", () => {
  it.each<[string, string, DataNames, (string | undefined)[], boolean]>([
    ["HDF5 with the usual names", "plain.h5", {}, ["/responses", "/inputs"], true],
    [
      "HDF5 by path",
      "groups.h5",
      { responses: "/run/tensor", inputs: "/run/nu" },
      ["/run/tensor", "/run/nu"],
      true,
    ],
    [
      "HDF5 by a path without slash",
      "groups.h5",
      { responses: "run/tensor" },
      ["/run/tensor", undefined],
      false,
    ],
    ["HDF5 with one dataset", "alone.h5", {}, ["/some/where", undefined], false],
    ["DeepXDE's NPZ", "deepxde.npz", {}, ["y_train", "X_train0"], true],
    ["NPY", "u.npy", {}, [undefined, undefined], false],
  ])("are read from %s", async (_, file, names, found, inputs) => {
    expect(await opened(file, names)).toEqual({
      names: found,
      samples: 4,
      shape: [3, 2],
      responses: U.values.subarray(6),
      inputs: inputs ? A.values : undefined,
    });
  });

  it("take the inputs of a NPY file from another one", async () => {
    expect(await opened("u.npy", { inputs: path("a.npy") })).toMatchObject({ inputs: A.values });
  });

  it("are hashed while they are read, once, whatever is read again", async () => {
    const data = await openData(path("u.npy"));
    const { fields, sha256 } = data.hashedResponses();
    for (const [start, end] of [
      [0, 3],
      [0, 3],
      [3, 4],
      [0, 4],
    ])
      await fields.read(start, end);
    const whole = createHash("sha256").update(new Uint8Array(U.values.buffer)).digest("hex");
    expect(await sha256()).toBe(whole);
    expect(await data.hashedResponses().sha256()).toBe(whole); // rows that nobody read are read for it
    await data.close();
  });

  it.each<[string, string, DataNames, string]>([
    ["two datasets and no name", "groups.h5", {}, "it has /run/nu (4 x 5), /run/tensor (4 x 3 x 2)"],
    ["a name that is not there", "plain.h5", { responses: "u" }, "no dataset u; it has /inputs (4 x 5), "],
    ["a name for the only array of a NPY file", "u.npy", { responses: "u" }, "leave out --responses"],
  ])("are refused for %s", async (_, file, names, message) => {
    await expect(opened(file, names)).rejects.toThrow(message);
  });
});
