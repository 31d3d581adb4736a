import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inspectFile } from "../../src/datasets/files/inspect-file.js";
import { generate } from "../../src/datasets/generate.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";
import type { SplitView } from "../../src/studio/lab/lab.js";
import { workFolder } from "../cli/command.js";
import { drop, picture, short, valueAt } from "./data-page.js";
import { seriousProblems } from "./page-problems.js";
import { CHROMIUM, type OpenStudio, openStudio } from "./studio-page.js";

const GOLDEN = join(import.meta.dirname, "../golden");
const own = (name: string) => join(GOLDEN, "own-data", name);
const made = mkdtempSync(join(tmpdir(), "pde-dirichlet-data-"));
afterAll(() => rmSync(made, { recursive: true, force: true }));
const { path, run } = workFolder();

describe.skipIf(CHROMIUM === undefined)("files in the view of data", () => {
  let studio: OpenStudio;
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(() => studio?.close());

  it.each([
    ["an NPZ file", own("ns-files.npz")],
    ["an HDF5 file", own("scales.h5")],
    ["a MATLAB 5 file", own("ns-files-v5.mat")],
    ["a MATLAB 7.3 file", own("ns-files-v73.mat")],
    ["a PyTorch file", own("ns-files.pt")],
    ["channels last", own("ns-channels-last.npz")],
  ])("reads %s that is dropped as the command does, and sends it nowhere", async (_, file) => {
    const { page, errors } = await studio.open("#train_samples=2&test_samples=1");
    await picture(page, 0).waitFor();
    const requests: string[] = [];
    page.context().on("request", (request) => {
      requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    await drop(page, file);
    const { reading } = await inspectFile(file);
    await page.getByText(reading!, { exact: true }).waitFor();
    await picture(page, 0).waitFor();
    await page.keyboard.press("ArrowRight");
    await picture(page, 1).waitFor();
    expect(requests.filter((one) => !/^GET \/(assets\/|api\/files)/.test(one))).toEqual([]);
    const { arrays } = await inspectFile(file);
    await page.getByText(/array(s)?$/).click();
    for (const { name, dtype } of arrays)
      await page
        .getByRole("row")
        .filter({ has: page.getByRole("rowheader", { name, exact: true }) })
        .getByText(dtype!, { exact: true })
        .waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("splits a dropped file as the command does, bit for bit", async () => {
    const file = own("ns-files-v73.mat");
    const { page, errors } = await studio.open("#train_samples=2&test_samples=1");
    await drop(page, file);
    await picture(page, 0).waitFor();
    await page.getByRole("tab", { name: "Clients" }).click();
    await page.getByRole("button", { name: "Share" }).click();
    const line = (await page.locator("dialog.share pre").nth(1).textContent())!;
    expect(line).toContain("--inputs '/a[0:32]' --responses '/u[0:32]'");
    // The page's own worker, asked as the page asks it.
    const worker = page.workers().find((one) => /worker-/.test(one.url()))!;
    const split = await page.evaluate(
      async ({ url, name, base64 }) => {
        const other = new Worker(url, { type: "module", name: "lab" });
        const ask = (call: string, ...list: unknown[]) =>
          new Promise<unknown>((resolve, reject) => {
            const id = crypto.randomUUID();
            other.addEventListener("message", function heard({ data }) {
              if (data.id !== id) return;
              other.removeEventListener("message", heard);
              if (data.type === "HANDLER") reject(new Error(data.value?.value?.message));
              else resolve(data.value);
            });
            other.postMessage({
              id,
              type: "APPLY",
              path: [call],
              argumentList: list.map((value) => ({ type: "RAW", value })),
            });
          });
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
        await ask("open", { text: name, files: [{ kind: "own", name, file: new File([bytes], name) }] }, {});
        await ask("bin", { bins: 10, seed: 42 });
        const choice = {
          clients: 10,
          alpha: 0.1,
          seed: 42,
          repair: "closest",
          partitioner: { name: "dirichlet" },
        };
        const { clientOfSample, distances, metrics, minSize } = (await ask("split", choice)) as SplitView;
        other.terminate();
        return { clients: [...clientOfSample], distances: [...distances], metrics, minSize };
      },
      { url: worker.url(), name: basename(file), base64: readFileSync(file).toString("base64") },
    );
    writeFileSync(path(basename(file)), readFileSync(file));
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain).slice(1);
    words[words.indexOf("--out") + 1] = "p.json";
    const { status, stderr } = await run(...words, "--min-size", String(split.minSize), "--quiet");
    expect(status, stderr).toBe(0);
    const written = JSON.parse(readFileSync(path("p.json"), "utf8"));
    expect(split.clients).toEqual(written.client_of_sample);
    expect(split.distances).toEqual(written.client_distance.flat());
    expect(split.metrics.d_sol).toBe(written.metrics.d_sol);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("asks where a file can be read in two ways, and goes on with what is chosen", async () => {
    const { page, errors } = await studio.open("#train_samples=2&test_samples=1");
    await drop(page, own("volume.npz"));
    await page.getByRole("alert").filter({ hasText: "which axis of volume.npz holds channels?" }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page
      .getByLabel("How the file could be read")
      .getByRole("combobox", { name: "Channels" })
      .selectOption("none");
    await picture(page, 0).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toContain("reading.channels=none");
    expect(await page.locator(".picture .panel-frame").count()).toBe(6); // three planes each
    const before = await page.locator(".picture figcaption").first().textContent();
    await page
      .getByRole("slider", { name: /^Plane at/ })
      .first()
      .press("ArrowRight");
    await expect.poll(() => page.locator(".picture figcaption").first().textContent()).not.toBe(before);
    await expect.poll(() => new URL(page.url()).hash).toMatch(/slice=\w+%3D\d/);
    await page.getByRole("button", { name: "Read as the file says" }).click();
    await page.getByRole("alert").filter({ hasText: "holds channels?" }).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it("offers readings of a trajectory, and goes through its frames", async () => {
    const file = join(made, "flow.npz");
    const shape = [12, 9, 8, 10];
    const values = Float32Array.from({ length: 12 * 720 }, (_, i) => Math.sin(i / 17));
    writeFileSync(
      file,
      writeNpz({ u: { values, shape }, t: Float64Array.from({ length: 9 }, (_, i) => i / 4) }),
    );
    const { page, errors } = await studio.open("#train_samples=2&test_samples=1");
    await drop(page, file);
    await page.getByRole("button", { name: "the first 4 frames to the others" }).click();
    await picture(page, 0).waitFor();
    await expect
      .poll(() => page.locator(".picture figcaption").allTextContents())
      .toEqual(["Input, t = 0.75", "Response, t = 2"]);
    const slider = page.getByRole("slider", { name: "Frame" });
    await slider.press("ArrowLeft");
    await expect
      .poll(() => page.locator(".picture figcaption").last().textContent())
      .toBe("Response, t = 1.75");
    await expect.poll(() => new URL(page.url()).hash).toContain("frame=3");
    const value = values[3 * 720 * 0 + (4 + 3) * 80 + 2 * 10 + 5];
    expect(await valueAt(page, 1, 5.5 / 10, 2.5 / 8)).toBe(`column = 5, row = 2: ${short(value)}`);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("takes inputs and responses from the table of arrays, or responses alone", async () => {
    const file = join(made, "named.npz");
    const field = (shift: number) => ({
      shape: [10, 6],
      values: Float64Array.from({ length: 60 }, (_, i) => Math.cos(i + shift)),
    });
    writeFileSync(file, writeNpz({ force: field(0), flow: field(1) }));
    const { page, errors } = await studio.open("#train_samples=2&test_samples=1");
    await drop(page, file);
    await page.getByRole("button", { name: "Response flow" }).click();
    await page.getByText("There are no inputs: enough to split these data, not to train on them.").waitFor();
    await page.getByText(/2 arrays$/).click();
    await page.getByRole("button", { name: "Input force" }).click();
    await page
      .getByText(/inputs force: 1 channel on 6 points; responses flow: 1 channel on 6 points/)
      .waitFor();
    await page.getByRole("textbox", { name: "Responses" }).fill("flow[:, 0:3]");
    await page.keyboard.press("Enter");
    await page.getByText(/responses flow\[:, 0:3\]: 1 channel on 3 points/).waitFor();
    await page.getByRole("textbox", { name: "Test samples" }).fill("0.5");
    await page.keyboard.press("Enter");
    await page.getByText("Training 5").waitFor();
    await page.getByRole("textbox", { name: "Test samples" }).fill("20");
    await page.keyboard.press("Enter");
    await page
      .getByRole("alert")
      .filter({ hasText: "--test 20 leaves no sample of 10 for training" })
      .waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it("takes two arrays of their own files as inputs and responses", async () => {
    const { page, errors } = await studio.open("#train_samples=2&test_samples=1");
    const data = generate({ task: "antiderivative", seed: 1, train: 10, test: 0 }).train;
    writeFileSync(join(made, "x.npy"), writeNpy(data.inputs, [10, 100]));
    writeFileSync(join(made, "y.npy"), writeNpy(data.responses, [10, 100]));
    await drop(page, join(made, "x.npy"), join(made, "y.npy"));
    await page
      .getByText(/^y.npy: inputs x.npy: 1 channel on 100 points; responses: 1 channel on 100 points/)
      .waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it("says what is wrong with a file, and lives on", async () => {
    const { page, errors } = await studio.open("#train_samples=2&test_samples=1");
    const bytes = readFileSync(own("scales.h5"));
    const files: readonly (readonly [string, Uint8Array, RegExp])[] = [
      ["cut.h5", bytes.subarray(0, bytes.length / 2), /^cut.h5 is truncated: it has \d+ of \d+ bytes$/],
      ["cut.npz", readFileSync(own("ns.npz")).subarray(0, 500), /cut.npz/],
      [
        "picture.png",
        Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
        /^picture.png is no file of arrays/,
      ],
      [
        "letter.txt",
        Buffer.from("Dear reader, these are words.\n".repeat(9)),
        /^letter.txt is no file of arrays/,
      ],
      ["empty.npy", Buffer.alloc(0), /empty.npy/],
    ];
    for (const [name, content, message] of files) {
      writeFileSync(join(made, name), content);
      await drop(page, join(made, name));
      const alert = page.getByRole("alert");
      await expect.poll(() => alert.first().textContent()).toMatch(message);
      expect(await alert.count()).toBe(1);
      await page.getByRole("heading", { name: "This file cannot be opened" }).waitFor();
      expect(await page.getByRole("button", { name: "Choose a file" }).count()).toBeGreaterThan(0);
    }
    expect(await seriousProblems(page)).toEqual([]);
    await drop(page, own("scales.h5"));
    await picture(page, 0).waitFor();
    await page.getByText("Built-in task").click();
    await page.getByRole("heading", { name: "Antiderivative" }).waitFor();
    await picture(page, 0).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });

  it("shows values that are no numbers, and says so", async () => {
    const file = join(made, "gaps.npz");
    const values = (count: number, gaps: readonly number[]) =>
      Float32Array.from({ length: count }, (_, i) => (gaps.includes(i) ? Number.NaN : Math.sin(i)));
    writeFileSync(
      file,
      writeNpz({
        inputs: { shape: [8, 30], values: values(240, [4]) },
        responses: { shape: [8, 6, 5], values: values(240, [7, 8, 9]) },
      }),
    );
    const { page, errors } = await studio.open("#train_samples=2&test_samples=1");
    await drop(page, file);
    await picture(page, 0).waitFor();
    await page.getByText("1 of 30 values of this input are not finite").waitFor();
    await page.getByText("3 of 30 values of this response are not finite").waitFor();
    expect(await valueAt(page, 1, 2.5 / 5, 1.5 / 6)).toContain("NaN");
    const color = await page
      .locator(".picture canvas")
      .evaluate((canvas: HTMLCanvasElement) => [...canvas.getContext("2d")!.getImageData(2, 1, 1, 1).data]);
    expect(color).toEqual([138, 138, 138, 255]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("asks for the file that an address names", async () => {
    const { page, errors } = await studio.open("#task=&file=mine.npz&reading.test=0.5");
    await page.getByRole("alert").filter({ hasText: "names mine.npz, which is not open here" }).waitFor();
    writeFileSync(join(made, "mine.npz"), readFileSync(own("ns-files.npz")));
    await page.setInputFiles('input[type="file"] >> nth=0', join(made, "mine.npz"));
    await page.getByText(/32 training and 8 test samples: the last fifth/).waitFor();
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe.skipIf(CHROMIUM === undefined)("files on the server, in the view of data", () => {
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-served-"));
  const samples = 600;
  const size = 64 * 64;
  let studio: OpenStudio;
  beforeAll(async () => {
    const values = Float32Array.from(
      { length: samples * size },
      (_, i) => Math.sin(i / 999) + Math.floor(i / size),
    );
    await writeHdf5(join(folder, "large.h5"), {
      datasets: {
        inputs: { shape: [samples, 8], values: values.slice(0, 8 * samples) },
        responses: { shape: [samples, 64, 64], values },
      },
    });
    writeFileSync(join(folder, "ns.pt"), readFileSync(own("ns-files.pt")));
    studio = await openStudio({ folder, opened: { kind: "file", path: "large.h5" } });
  });
  afterAll(async () => {
    await studio?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("are read by parts, and another one can be chosen", async () => {
    const { page, errors } = await studio.open("#view=data&task=&file=large.h5&sample=321");
    let fetched = 0;
    page.context().on("response", async (response) => {
      const { pathname, searchParams } = new URL(response.url());
      if (pathname === "/api/bytes")
        fetched += Number(searchParams.get("to")) - Number(searchParams.get("from"));
    });
    await page.reload();
    await picture(page, 321).waitFor();
    const value = Math.fround(Math.sin((321 * size + 10 * 64 + 20) / 999) + 321);
    expect(await valueAt(page, 1, 20.5 / 64, 10.5 / 64)).toBe(`column = 20, row = 10: ${short(value)}`);
    expect(fetched).toBeGreaterThan(0);
    await page.getByRole("combobox", { name: "Below the open folder" }).selectOption("ns.pt");
    await page.getByText(/^ns.pt: inputs a: 1 channel on 8 x 8; responses u: 4 channels/).waitFor();
    await picture(page, 0).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toContain("file=ns.pt");
    expect(errors).toEqual([]);
    await page.close();
  });

  it("that are not there are named", async () => {
    const { page } = await studio.open("#task=&file=gone.h5");
    await page
      .getByRole("alert")
      .filter({ hasText: 'there is no "gone.h5" in the folder that is open' })
      .waitFor();
    await page.close();
  });
});
