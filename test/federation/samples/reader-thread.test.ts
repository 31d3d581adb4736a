import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeHdf5 } from "../../../src/files/hdf5-writer.js";

const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-thread-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stack = (samples: number, size: number) => ({
  shape: [samples, size],
  values: Float32Array.from({ length: samples * size }, (_, i) => i),
});

/** What a script makes of the compiled modules: only they have a worker beside them. */
function compiled(script: string): unknown {
  const modules = {
    openReader: "federation/samples/reader-thread.js",
    describeTrainingFile: "federation/training-file.js",
  };
  const imports = Object.entries(modules).map(
    ([name, path]) =>
      `import { ${name} } from ${JSON.stringify(new URL(`../../../dist/${path}`, import.meta.url).href)};`,
  );
  const args = ["--input-type=module", "--eval", `${imports.join("\n")}\n${script}`];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

describe("a thread that reads samples", () => {
  it("reads them in several parts, and does not keep the process alive", async () => {
    const file = join(folder, "data.h5");
    const half = (split: string, samples: number) => ({
      [`/${split}/inputs`]: stack(samples, 2),
      [`/${split}/responses`]: stack(samples, 3),
    });
    await writeHdf5(file, { datasets: { ...half("train", 20), ...half("test", 4) } });
    const found = compiled(`
      const data = await describeTrainingFile(${JSON.stringify(file)}, {});
      const scaling = { inputs: [{ offset: 1, scale: 2 }], responses: [{ offset: 0, scale: 1 }] };
      const reader = openReader({ data, scaling, sizes: { inputs: 2, responses: 3 } });
      const into = (rows) => ({ inputs: new Float32Array(2 * rows), responses: new Float32Array(3 * rows) });
      const [few, many] = [into(2), into(20)];
      const all = reader.read("train", Int32Array.from({ length: 20 }, (_, i) => i), many);
      await reader.read("test", Int32Array.of(0, 3), few);
      await all;
      const read = [few, many].map(({ inputs, responses }) => [[...inputs], [...responses]]);
      console.log(JSON.stringify(read));
    `);
    const numbers = (length: number) => Array.from({ length }, (_, i) => i);
    expect(found).toEqual([
      [
        [-0.5, 0, 2.5, 3],
        [0, 1, 2, 9, 10, 11],
      ],
      [numbers(40).map((x) => (x - 1) / 2), numbers(60)],
    ]);
  });

  it("says in one line what became of its file, and starts again after it was closed", async () => {
    const file = join(folder, "gone.h5");
    const half = (split: string) => ({
      [`/${split}/inputs`]: stack(4, 1),
      [`/${split}/responses`]: stack(4, 1),
    });
    await writeHdf5(file, { datasets: { ...half("train"), ...half("test") } });
    const found = compiled(`
      import { renameSync } from "node:fs";
      const file = ${JSON.stringify(file)};
      const data = await describeTrainingFile(file, {});
      const reader = openReader({ data, scaling: { inputs: [{ offset: 0, scale: 1 }], responses: [{ offset: 0, scale: 1 }] }, sizes: { inputs: 1, responses: 1 } });
      const read = async () => {
        const into = { inputs: new Float32Array(1), responses: new Float32Array(1) };
        await reader.read("train", Int32Array.of(2), into);
        return into;
      };
      const answers = [(await read()).inputs[0]];
      await reader.close();
      renameSync(file, file + ".away");
      answers.push(await read().catch(({ name, message }) => [name, message.split("\\n").length, message.includes(file)]));
      await reader.close();
      renameSync(file + ".away", file);
      answers.push((await read()).inputs[0]);
      console.log(JSON.stringify(answers));
    `);
    expect(found).toEqual([2, ["FileError", 1, true], 2]);
  });
});
