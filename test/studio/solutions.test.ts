import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BinsView, type Lab, type MapView, openLab } from "../../src/studio/lab/lab.js";
import { mapFrame } from "../../src/studio/page/views/solutions/map/map-frame.js";
import { nearestTowards } from "../../src/studio/page/views/solutions/map/nearest-point.js";
import { workFolder } from "../cli/command.js";
import { CHROMIUM, type OpenStudio, openStudio } from "./studio-page.js";

const { path, run } = workFolder();
const ADDRESS = "#view=solutions&data_seed=5&train_samples=240&bins=6&seed=3&clients=7&alpha=0.2";

/** How long the page may take on a busy machine. */
const SOON = { timeout: 20_000 };

/** A setting in the address, which follows shortly after what is shown. */
const addressed = (page: Page, name: string) =>
  expect.poll(() => new URLSearchParams(new URL(page.url()).hash.slice(1)).get(name), SOON);
const cards = (page: Page) => page.getByRole("region", { name: "Bins" }).getByRole("button");
const shownSample = (page: Page) => page.locator("[data-number=sample]").textContent();
const map = (page: Page) => page.getByRole("application", { name: /Map of solutions/ });

describe.skipIf(CHROMIUM === undefined)("the view of solutions", () => {
  let studio: OpenStudio;
  let lab: Lab;
  let bins: BinsView;
  let found: MapView;
  beforeAll(async () => {
    studio = await openStudio();
    lab = openLab();
    await lab.generate({ task: "antiderivative", seed: 5, train: 240 });
    bins = await lab.bin({ bins: 6, seed: 3 });
    found = await lab.map();
  });
  afterAll(() => studio?.close());

  async function open(more = ""): Promise<{ page: Page; errors: string[] }> {
    const opened = await studio.open(ADDRESS + more);
    await opened.page.locator(".sample-panels svg").first().waitFor();
    await map(opened.page).waitFor();
    await opened.page.getByRole("region", { name: /Members of bin/ }).waitFor();
    return opened;
  }

  /** Where a sample lies on the screen. */
  async function pixelOf(page: Page, sample: number): Promise<[number, number]> {
    const { x, y, width, height } = (await map(page).boundingBox())!;
    const frame = mapFrame(found.points, Math.floor(width), Math.floor(height));
    return [x + frame.x(found.points[2 * sample]), y + frame.y(found.points[2 * sample + 1])];
  }

  /** A sample at the edge of the map, on which no label lies. */
  const outermost = () => {
    const right = Array.from({ length: 240 }, (_, sample) => found.points[2 * sample]);
    return right.indexOf(Math.max(...right));
  };

  it("shows the bins of the commands partition and bins: sizes, spread, silhouette and quality", async () => {
    await run("generate", "antiderivative", "--seed", "5", "--train", "240", "--test", "0", "--out", "a.h5");
    const made = await run(
      ...["partition", "a.h5", "--bins", "6", "--seed", "3", "--clients", "7", "--alpha", "0.2"],
      ...["--min-size", "16", "--out", "p.json"],
    );
    expect(made.stderr + made.status).toMatch(/0$/);
    expect([...bins.binOfSample]).toEqual(JSON.parse(readFileSync(path("p.json"), "utf8")).bin_of_sample);
    const told = JSON.parse((await run("bins", "p.json", "--json")).stdout);
    const { page, errors } = await open();
    const labels = await cards(page).evaluateAll((list) =>
      list.map((card) => card.getAttribute("aria-label")),
    );
    expect(labels).toEqual(
      told.bins.map(
        ({ bin, samples, spread, silhouette }: Record<string, number>) =>
          `Bin ${bin}: ${samples} samples, spread ${spread.toFixed(3)}, silhouette ${silhouette.toFixed(2)}`,
      ),
    );
    const number = (name: string) => page.locator(`[data-number=${name}]`).textContent();
    expect(await number("explained")).toBe(`${(100 * told.explained_variance).toFixed(1)} %`);
    expect(await number("eps_quant")).toContain(told.eps_quant.toFixed(3));
    expect(await number("silhouette")).toBe(told.silhouette.toFixed(2));
    const members = page.getByRole("region", { name: "Members of bin 2" }).getByRole("button");
    await cards(page).nth(2).click();
    await addressed(page, "bin").toBe("2");
    await members.first().waitFor();
    const names = await members.evaluateAll((list) => list.map((one) => one.getAttribute("aria-label")));
    const order = await lab.members(2);
    expect(names).toEqual(
      [...order.slice(0, 7), ...order.slice(-2)].map(
        ({ sample, distance }) => `Sample ${sample}, ${distance.toFixed(3)} from the centroid`,
      ),
    );
    expect(errors).toEqual([]);
  });

  it("shows the field of the sample that is clicked, and the address has it", async () => {
    const { page, errors } = await open();
    const sample = outermost();
    await page.mouse.move(...(await pixelOf(page, sample)));
    await expect
      .poll(() => page.locator(".map-tip").textContent(), SOON)
      .toMatch(new RegExp(`^Sample ${sample}, bin ${bins.binOfSample[sample]}, client \\d$`));
    await page.mouse.click(...(await pixelOf(page, sample)));
    await expect.poll(() => shownSample(page), SOON).toBe(String(sample));
    await addressed(page, "sample").toBe(String(sample));
    await page.getByRole("region", { name: `Members of bin ${bins.binOfSample[sample]}` }).waitFor();
    // The curve is that of the response, up to the scale of its frame.
    const { response } = await lab.sample("train", sample);
    const heights = await page
      .locator(".sample-panels svg path.curve")
      .first()
      .evaluate((curve) =>
        [...curve.getAttribute("d")!.matchAll(/,([-\d.]+)/g)].map((match) => Number(match[1])),
      );
    expect(heights).toHaveLength(response.length);
    const part = (values: ArrayLike<number>, i: number) =>
      (values[i] - values[0]) / (values[response.length - 1] - values[0]);
    response.forEach((_, i) => {
      expect(part(heights, i)).toBeCloseTo(part(response, i), 1);
    });
    expect(errors).toEqual([]);
  });

  it("goes with arrow keys to the nearest sample in their direction", async () => {
    const { page, errors } = await open("&sample=17");
    await map(page).focus();
    let sample = 17;
    for (const [key, direction] of [
      ["ArrowRight", "right"],
      ["ArrowUp", "up"],
      ["ArrowLeft", "left"],
      ["ArrowLeft", "left"],
      ["ArrowDown", "down"],
    ] as const) {
      await page.keyboard.press(key);
      sample = nearestTowards(found.points, sample, direction) ?? sample;
      await expect.poll(() => shownSample(page), SOON).toBe(String(sample));
    }
    expect(sample).not.toBe(17);
    await addressed(page, "sample").toBe(String(sample));
    expect(errors).toEqual([]);
  });

  it("colours by client with a legend of all clients, and by bin without", async () => {
    const { page } = await open();
    const legend = page.getByRole("list", { name: "Colours of clients" }).getByRole("listitem");
    expect(await legend.count()).toBe(0);
    const before = await paintedMap(page);
    await page.getByLabel("Colour by").selectOption("client");
    await expect
      .poll(() => legend.allTextContents(), SOON)
      .toEqual(["clients", "0", "1", "2", "3", "4", "5", "6"]);
    await addressed(page, "color").toBe("client");
    const after = await paintedMap(page);
    expect(after).not.toBe(before);
    const bright = map(page).locator("canvas").nth(1);
    expect(await bright.isVisible()).toBe(false);
    await legend.nth(3).hover();
    await expect.poll(() => bright.isVisible(), SOON).toBe(true);
  });

  it("fits other bins when their number changes, and says which number is too large", async () => {
    const { page, errors } = await open();
    const box = page.getByLabel("Number of bins, as a number");
    await box.fill("4");
    await page.keyboard.press("Enter");
    await expect.poll(() => cards(page).count(), SOON).toBe(4);
    const sizes = await cards(page).evaluateAll((list) =>
      list.map((card) => Number(/(\d+) samples/.exec(card.getAttribute("aria-label")!)![1])),
    );
    const four = openLab();
    await four.generate({ task: "antiderivative", seed: 5, train: 240 });
    expect(sizes).toEqual((await four.bin({ bins: 4, seed: 3 })).sizes);
    await box.fill("241");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.getByRole("alert").textContent(), SOON)
      .toBe("240 responses cannot fill 241 bins: take at most 240");
    await box.fill("5");
    await page.keyboard.press("Enter");
    await expect.poll(() => cards(page).count(), SOON).toBe(5);
    expect(errors).toEqual([]);
  });

  it("is painted anew in the colours of the other theme, and axe finds nothing serious in either", async () => {
    const { page } = await open("&color=client");
    const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    await page.evaluate(source);
    const serious = () =>
      page.evaluate(async () => {
        // biome-ignore lint/suspicious/noExplicitAny: axe comes as a script
        const { violations } = await (globalThis as any).axe.run();
        return violations
          .filter(({ impact }: { impact: string }) => impact === "serious" || impact === "critical")
          .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0].html}`);
      });
    expect(await serious()).toEqual([]);
    const light = await paintedMap(page);
    await page.getByRole("button", { name: "Switch to the dark theme" }).click();
    await expect.poll(() => paintedMap(page), SOON).not.toBe(light);
    expect(await serious()).toEqual([]);
  });

  it("asks for a point where the sample is one for testing, or is not there", async () => {
    const { page } = await studio.open(`${ADDRESS}&half=test`);
    const card = page.getByRole("region", { name: "Chosen sample" });
    await expect.poll(() => card.textContent(), SOON).toContain("Click a point of the map");
    await map(page).waitFor();
    await page.getByRole("region", { name: /Members of bin/ }).waitFor();
    await page.mouse.click(...(await pixelOf(page, outermost())));
    await expect.poll(() => shownSample(page), SOON).toBe(String(outermost()));
    await addressed(page, "half").toBe(null);
  });
});

/** What the canvas of the samples shows. */
const paintedMap = (page: Page): Promise<string> =>
  map(page)
    .locator("canvas")
    .first()
    .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
