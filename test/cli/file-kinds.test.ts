import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { openData } from "../../src/datasets/files/open.js";
import { FormatError, OptionError } from "../../src/errors.js";
import { writeNpy } from "../../src/index.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();

beforeAll(async () => {
  const made = await run("generate", "antiderivative", "--train", "80", "--test", "20", "--out", "plain.h5");
  expect(made.status).toBe(0);
  const userBlock = Buffer.alloc(512);
  userBlock.write("MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 .");
  writeFileSync(path("block.mat"), Buffer.concat([userBlock, readFileSync(path("plain.h5"))]));
  const matlab = readFileSync(new URL("../golden/arrays/v4.mat", import.meta.url));
  writeFileSync(path("four.mat"), matlab);
  writeFileSync(path("four.h5"), matlab);
  writeFileSync(path("good.npy"), writeNpy(new Float64Array(8), [4, 2]));
  writeFileSync(path("good.npy.gz"), gzipSync(writeNpy(new Float64Array(8), [4, 2])));
  writeFileSync(path("text.npy"), "not an array");
});

describe("an HDF5 file with a user block, as MATLAB 7.3 writes it", () => {
  it("is shown, partitioned and trained on like one without", async () => {
    const sizes = ["--alpha", "1", "--clients", "4", "--quiet"];
    const show = (file: string) => run("show", file, "--out", `${file}.svg`);
    expect((await show("block.mat")).status).toBe(0);
    expect((await show("plain.h5")).status).toBe(0);
    const drawn = (file: string) => readFileSync(path(`${file}.svg`), "utf8");
    expect(drawn("block.mat").replaceAll("block.mat", "plain.h5")).toBe(drawn("plain.h5"));

    const split = (file: string) => run("partition", file, ...sizes, "--out", `${file}.json`);
    expect((await split("block.mat")).status).toBe(0);
    expect((await split("plain.h5")).status).toBe(0);
    const clients = (file: string) => JSON.parse(readFileSync(path(`${file}.json`), "utf8")).client_of_sample;
    expect(clients("block.mat")).toEqual(clients("plain.h5"));

    const train = (file: string) => run("train", "antiderivative", "--data", file, "--rounds", "1", ...sizes);
    const [block, plain] = [await train("block.mat"), await train("plain.h5")];
    expect(block.stdout).toMatch(/test error [\d.]+ % after 1 round/);
    expect(block.stdout).toBe(plain.stdout);
  });
});

describe("a file of another kind", () => {
  it.each([
    ["partition", ["partition", "four.mat", "--alpha", "1", "--out", "x.json"]],
    ["show", ["show", "four.mat", "--out", "x.svg"]],
    ["train", ["train", "antiderivative", "--data", "four.h5", "--alpha", "1"]],
    ["import", ["import", "pdebench-darcy", "four.h5", "--out", "x.h5"]],
    ["diagnose", ["diagnose", "good.npy", "--partition", "four.mat"]],
  ])("is named by %s, with the way to convert it", async (_, args) => {
    const { status, stderr } = await run(...args);
    expect(stderr).toMatch(
      /^pde-dirichlet: four\.(mat|h5) is a MATLAB file of version 4, .*save\(\.\.\., '-v7'\).*\n$/m,
    );
    expect(status).toBe(1);
  });

  it("is named where it is a file of inputs", async () => {
    const { stderr } = await run(
      ...["partition", "good.npy", "--inputs", "good.npy.gz", "--alpha", "1", "--out", "x.json"],
    );
    expect(stderr).toBe(
      "pde-dirichlet: good.npy.gz is a gzip archive, which is not read here: unpack it first with gunzip\n",
    );
  });
});

describe.skipIf(!existsSync("/proc/self/fd"))("a file that is refused", () => {
  const open = () =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return /\.(npy|mat|h5)$/.test(readlinkSync(`/proc/self/fd/${fd}`));
      } catch {
        return false; // of the listing itself
      }
    });

  it("is closed again, and so is the one it was given with", async () => {
    await expect(openData(path("good.npy"), { inputs: path("text.npy") })).rejects.toThrow(FormatError);
    await expect(openData(path("text.npy"))).rejects.toThrow(FormatError);
    await expect(openData(path("four.mat"))).rejects.toThrow(FormatError);
    await expect(openData(path("plain.h5"), { responses: "/nothing" })).rejects.toThrow(OptionError);
    expect(open()).toEqual([]);
  });
});
