import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generate } from "../../src/datasets/generate.js";
import { SOURCE_NAMES, sourceOf } from "../../src/datasets/sources.js";
import { picture, short, valueAt } from "./data-page.js";
import { seriousProblems } from "./page-problems.js";
import { CHROMIUM, type OpenStudio, openStudio } from "./studio-page.js";

describe.skipIf(CHROMIUM === undefined)("the view of data", () => {
  let studio: OpenStudio;
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(() => studio?.close());

  it("goes through samples by keys, slider, buttons, a number and small pictures, and the address keeps it", async () => {
    const { page, errors } = await studio.open("#train_samples=12&test_samples=5");
    await picture(page, 0).waitFor();
    await page.keyboard.press("ArrowRight");
    await picture(page, 1).waitFor();
    await page.getByRole("slider", { name: "Sample", exact: true }).press("ArrowRight");
    await picture(page, 2).waitFor();
    await page.getByRole("button", { name: "Next sample" }).click();
    await picture(page, 3).waitFor();
    await page.getByRole("button", { name: "Sample 7", exact: true }).click();
    await picture(page, 7).waitFor();
    await page.getByRole("button", { name: "Previous sample" }).click();
    await page.getByRole("spinbutton", { name: "Sample, as a number" }).fill("11");
    await page.keyboard.press("Enter");
    await picture(page, 11).waitFor();
    await expect.poll(() => new URL(page.url()).hash).toContain("sample=11");
    expect(await page.getByRole("button", { name: "Next sample" }).isDisabled()).toBe(true);
    await page.getByText("Test 5").click();
    await picture(page, 0, "testing").waitFor();
    await expect.poll(() => new URL(page.url()).hash).toContain("half=test");
    await page.reload();
    await picture(page, 0, "testing").waitFor();
    // Arrow keys belong to the tabs where a tab has the focus.
    await page.getByRole("tab", { name: "Data" }).press("ArrowRight");
    await expect.poll(() => page.getByRole("tab", { selected: true }).textContent()).toBe("Solutions");
    expect(errors).toEqual([]);
    await page.close();
  });

  it("shows the values that the library makes", async () => {
    const parameters = { viscosity: 0.05 };
    const data = generate({ task: "burgers", seed: 7, train: 5, test: 0, parameters });
    const { page, errors } = await studio.open(
      "#task=burgers&data_seed=7&train_samples=5&parameters.viscosity=0.05&sample=3",
    );
    await picture(page, 3).waitFor();
    const size = 101;
    for (const [i, j] of [
      [50, 20],
      [3, 99],
      [88, 0],
    ]) {
      const value = data.train.responses[3 * size * size + i * size + j];
      const shown = await valueAt(page, 1, (i + 0.5) / size, 1 - (j + 0.5) / size);
      expect(shown).toBe(`x = ${short(i / 100)}, t = ${short(j / 100)}: ${short(value)}`);
    }
    const input = data.train.inputs[3 * size + 50];
    expect(await valueAt(page, 0, 0.5, 0.5)).toBe(`x = 0.5: ${short(input)}`);
    // A parameter is part of the address, and other values come.
    await page.getByRole("spinbutton", { name: "Viscosity" }).fill("0.01");
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).hash).toContain("parameters.viscosity=0.01");
    const other = generate({ task: "burgers", seed: 7, train: 5, test: 0, parameters: { viscosity: 0.01 } });
    const expected = short(other.train.responses[3 * size * size + 50 * size + 20]);
    await picture(page, 3).waitFor();
    await expect.poll(() => valueAt(page, 1, 50.5 / size, 1 - 20.5 / size)).toContain(`: ${expected}`);
    expect(errors).toEqual([]);
    await page.close();
  });

  const SMALL: Readonly<Record<string, string>> = {
    darcy: "&parameters.grid=32",
    "dam-break": "&parameters.grid=32",
    cylinder: "&parameters.grid=16&parameters.resolution=10&parameters.startUp=10&parameters.reynoldsMax=60",
    "flat-velocity": "&parameters.stride=8",
  };
  it.each(SOURCE_NAMES)("shows samples of %s, and nothing is wrong with the page", async (task) => {
    const { page, errors } = await studio.open(
      `#task=${task}&train_samples=3&test_samples=1${SMALL[task] ?? ""}`,
    );
    await page.getByRole("heading", { name: sourceOf(task).title, exact: true }).waitFor();
    await picture(page, 0).waitFor();
    await page.getByRole("button", { name: "Sample 2", exact: true }).locator(".panel-frame").waitFor();
    for (const frame of await page.locator(".picture .panel-frame").all()) {
      const { width, height } = (await frame.boundingBox())!;
      expect(Math.min(width, height)).toBeGreaterThan(80);
    }
    expect(
      await page.evaluate(
        () => document.querySelector("#view")!.scrollHeight - document.querySelector(".main")!.clientHeight,
      ),
    ).toBeLessThanOrEqual(0);
    expect(await seriousProblems(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("shows one channel, and colours for each sample, where that is chosen", async () => {
    const { page, errors } = await studio.open(
      "#task=dam-break&train_samples=3&test_samples=1&parameters.grid=32",
    );
    await picture(page, 0).waitFor();
    expect(await page.locator(".picture .panel-frame").count()).toBe(6);
    await page.getByRole("combobox", { name: "Channels" }).selectOption("hu");
    await expect.poll(() => page.locator(".picture .panel-frame").count()).toBe(2);
    await page.getByRole("combobox", { name: "Colours" }).selectOption("sample");
    await expect.poll(() => new URL(page.url()).hash).toMatch(/channel=hu.*scale=sample/);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("fits a phone in landscape, where nothing sticks out", async () => {
    const { page, errors } = await studio.open(
      `#task=cylinder&train_samples=2&test_samples=1${SMALL.cylinder}`,
      {
        viewport: { width: 844, height: 390 },
      },
    );
    await picture(page, 0).waitFor();
    const { width, right, bottom } = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll(".picture .panel-frame")].map((one) =>
        one.getBoundingClientRect(),
      );
      return {
        width: document.documentElement.scrollWidth,
        right: Math.max(...boxes.map((box) => box.right)),
        bottom: Math.max(...boxes.map((box) => box.bottom)),
      };
    });
    expect([width, right <= 844, bottom <= 390]).toEqual([844, true, true]);
    expect(await seriousProblems(page)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });
});
