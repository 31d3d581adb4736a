import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ImportOptions } from "../../../src/datasets/import/imported-file.js";
import { writeNpy } from "../../../src/files/npy.js";
import { counting, golden, importFolder } from "./imported.js";

const { path, imported } = importFolder();
const cylinder = (paths: readonly string[], more: Partial<ImportOptions> = {}) =>
  imported({ format: "cfdbench-cylinder", paths, train: 3, test: 1, ...more });

/** The cases of the golden files in the order in which their values count: five of bc, two of geo, two of prop. */
const CASES = ["bc/case0000", "bc/case0001", "bc/case0002", "bc/case0003", "bc/case0004"].concat(
  ["geo/case0000", "geo/case0001"],
  ["prop/case0000", "prop/case0001"],
);
const frame = (number: number, at: number) => {
  const u = counting(10000 * number + 48 * at, 48);
  return [...u, ...u.map((value) => -value)];
};

/** A folder of one small case, changed by `change`. */
function broken(name: string, change: (folder: string) => void): string {
  const folder = path(`${name}/bc/case0000`);
  mkdirSync(path(`${name}/bc`), { recursive: true });
  cpSync(golden("cylinder/bc/case0000"), folder, { recursive: true });
  change(folder);
  return path(name);
}

describe("CFDBench's cylinder flow", () => {
  it("is imported from folders and archives, of any type, order and compression, one pair a case", async () => {
    const options = { train: 6, test: 2, inputFrame: 1, targetFrame: 3, skipShort: true };
    const { attributes, shapes, rows, attributesOf, types } = await cylinder([golden("cylinder")], options);
    expect(shapes).toMatchObject({ "/train/inputs": [6, 2, 8, 6], "/test/responses": [2, 2, 8, 6] });
    expect(types["/train/inputs"]).toBe("float32");
    const seen: string[] = [];
    for (const half of ["train", "test"]) {
      (attributesOf[`/${half}/source`].names as string[]).forEach((name, row) => {
        const number = CASES.indexOf(name);
        expect(rows[`/${half}/inputs`][row]).toEqual(frame(number, 1));
        expect(rows[`/${half}/responses`][row]).toEqual(frame(number, 3));
        expect(rows[`/${half}/conditions/vel_in`][row][0]).toBeCloseTo(0.1 * (number + 1), 12);
        seen.push(name);
      });
    }
    expect(seen.sort()).toEqual(CASES.filter((name) => name !== "bc/case0003"));
    expect(attributes).toMatchObject({
      task: "cylinder",
      origin: "imported from CFDBench",
      source_files: ["cylinder"],
      input_frame: 1,
      target_frame: 3,
      frame_seconds: 0.001,
      cases_available: 8,
      cases_too_short: 1,
      input_channels: ["u", "v"],
    });
    expect(shapes["/train/conditions/rotated"]).toBeUndefined();
  });

  it("steps by 100 frames from the first unless told otherwise", async () => {
    const { rows, attributes } = await cylinder([golden("cylinder/prop.zip")], { train: 1, test: 1 });
    expect(rows["/train/responses"][0]).toEqual(frame(7 + rows["/train/source"][0][0], 100));
    expect(attributes).toMatchObject({ input_frame: 0, target_frame: 100, source_files: ["prop.zip"] });
    const more = { train: 1, test: 1, inputFrame: 5, timeStep: 20 };
    expect((await cylinder([golden("cylinder/prop.zip")], more)).attributes.target_frame).toBe(25);
  });

  it("says how many cases are long enough when one is not", async () => {
    const bc = golden("cylinder/bc");
    await expect(cylinder([bc], { timeStep: 4 })).rejects.toThrow(
      "case bc/case0003 has 2 frames, but frame 4 is needed: 3 of 5 cases are long enough; " +
        "add --skip-short to take only those, or choose an earlier target",
    );
    await expect(cylinder([bc], { skipShort: true })).rejects.toThrow(/0 of 5 cases are long enough; choose/);
    await expect(cylinder([bc], { timeStep: 4, skipShort: true })).rejects.toThrow("there are 3 to choose");
    await expect(cylinder([bc], { timeStep: 4, targetFrame: 4 })).rejects.toThrow("give either");
    await expect(cylinder([bc], { timeStep: 0 })).rejects.toThrow("does not lie after input frame 0");
  });

  it("is refused with what was expected and what was found", async () => {
    const one = { train: 1, test: 0, timeStep: 1 };
    mkdirSync(path("empty"));
    await expect(cylinder([path("empty")])).rejects.toThrow(
      /empty: expected folders with case.json, u.npy, v.npy, found none$/,
    );
    await expect(cylinder([path("missing")])).rejects.toThrow(/cannot read .*missing: no such file/);
    const lacking = broken("lacking", (folder) => rmSync(`${folder}/v.npy`));
    await expect(cylinder([lacking], one)).rejects.toThrow(
      "case bc/case0000: expected case.json, u.npy, v.npy, found no v.npy",
    );
    const flat = broken("flat", (folder) =>
      writeFileSync(`${folder}/u.npy`, writeNpy(new Float32Array(12), [2, 6])),
    );
    await expect(cylinder([flat], one)).rejects.toThrow(
      /u.npy: expected an array \(t, y, x\), found \(2, 6\)$/,
    );
    const pair = broken("pair", (folder) =>
      writeFileSync(`${folder}/v.npy`, writeNpy(new Float32Array(5 * 48), [5, 8, 6])),
    );
    await expect(cylinder([pair], one)).rejects.toThrow(
      /v.npy: expected an array \(6, 8, 6\), found \(5, 8, 6\)$/,
    );
    const cut = broken("cut", (folder) =>
      writeFileSync(`${folder}/u.npy`, readFileSync(`${folder}/u.npy`).subarray(0, 2000)),
    );
    await expect(cylinder([cut], one)).rejects.toThrow(/u.npy is truncated: 6x8x6 float64 needs 2432 bytes/);
    const json = broken("json", (folder) => writeFileSync(`${folder}/case.json`, "vel_in = 3"));
    await expect(cylinder([json], one)).rejects.toThrow(
      /case.json: expected a JSON object, found vel_in = 3$/,
    );
    const twice = broken("twice", () => {});
    await expect(cylinder([golden("cylinder/bc"), twice], one)).rejects.toThrow(
      /case bc\/case0000 is there twice: in .*golden.* and in .*twice/,
    );
  });

  it("is refused when an archive is cut short or damaged", async () => {
    const bytes = readFileSync(golden("cylinder/prop.zip"));
    writeFileSync(path("cut.zip"), bytes.subarray(0, 20000));
    await expect(cylinder([path("cut.zip")])).rejects.toThrow(
      /cut.zip is not a zip archive, or is truncated/,
    );
    const middle = bytes.indexOf("case0000/u.npy") + 5000; // behind the header, which stays readable
    bytes.fill(0x55, middle, middle + 8);
    writeFileSync(path("prop.zip"), bytes);
    await expect(cylinder([path("prop.zip")], { train: 2, test: 0 })).rejects.toThrow(
      /prop.zip:cylinder\/prop\/case0000\/u.npy: damaged compressed data/,
    );
  });

  it("is refused when all inputs are equal, as they are before anything moves", async () => {
    for (const name of ["case0000", "case0001"]) {
      mkdirSync(path(`rest/bc/${name}`), { recursive: true });
      writeFileSync(path(`rest/bc/${name}/case.json`), "{}");
      for (const part of ["u", "v"]) {
        const file = writeNpy(Float64Array.of(0, 0, 1, 1), [2, 1, 2]);
        writeFileSync(path(`rest/bc/${name}/${part}.npy`), file);
      }
    }
    await expect(cylinder([path("rest")], { train: 1, test: 1, timeStep: 1 })).rejects.toThrow(
      "all 2 inputs are equal: choose another frame as input",
    );
  });
});
