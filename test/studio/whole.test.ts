import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PLAIN } from "../../src/numerics/kernels/binary.js";
import { PAGE_FOLDER } from "../../src/studio/server/page-files.js";
import { VIEWS } from "../../src/studio/settings.js";
import { CHROMIUM, type OpenStudio, openStudio } from "./studio-page.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Studies that are finished. */
const RECORDS = join(import.meta.dirname, "../../docs/results/records");

/** Small data, so that every view has something to show at once. */
const SMALL = "task=antiderivative&train_samples=120&test_samples=20&clients=5&bins=6&rounds=5";

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

describe.skipIf(CHROMIUM === undefined)("every view of the studio", () => {
  let studio: OpenStudio;
  beforeAll(async () => {
    studio = await openStudio();
  });
  afterAll(() => studio?.close());

  const screens = [
    ["a screen in light", { width: 1280, height: 800 }, "light"],
    ["a screen in dark", { width: 1280, height: 800 }, "dark"],
    ["a phone in landscape", { width: 844, height: 390 }, "light"],
  ] as const;

  describe.each(screens)("on %s", (_, viewport, colorScheme) => {
    it.each(VIEWS)("has no serious barrier and no error: %s", async (view) => {
      const { page, errors } = await studio.open(`#view=${view}&${SMALL}`, { viewport, colorScheme });
      await page.waitForTimeout(1500);
      // Playwright runs this in a world of its own, which the page's policy does not bind.
      await page.evaluate(AXE);
      const violations = await page.evaluate(
        async () =>
          (
            await (
              globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
            ).axe.run()
          ).violations,
      );
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)).toEqual([]);
      expect(errors).toEqual([]);
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(beyond, "the page is wider than the screen").toBeLessThanOrEqual(0);
      await page.close();
    });
  });

  it("is reached by the tour, which names a part of the page at each of its six steps", async () => {
    const { page, errors } = await studio.open(`#${SMALL}`);
    await page.getByRole("button", { name: "Tour" }).click();
    for (let step = 1; step <= 6; step++) {
      await page.getByRole("dialog", { name: `Tour, step ${step} of 6` }).waitFor();
      await expect
        .poll(() => page.locator(".tour-frame").count(), { message: `step ${step} points nowhere` })
        .toBe(1);
      await page.keyboard.press("ArrowRight");
    }
    await expect.poll(() => page.locator(".tour-card").count()).toBe(0);
    expect(errors).toEqual([]);
    await page.close();
  });
});

describe.skipIf(CHROMIUM === undefined)("the tour on a phone", () => {
  it("scrolls to the part that it names, and its card is whole on the screen", async () => {
    const studio = await openStudio();
    try {
      const viewport = { width: 844, height: 390 };
      const { page, errors } = await studio.open(`#${SMALL}`, { viewport });
      await page.getByRole("button", { name: "Tour" }).click();
      for (let step = 1; step <= 6; step++) {
        await page.getByRole("dialog", { name: `Tour, step ${step} of 6` }).waitFor();
        for (const part of [".tour-frame", ".tour-card"])
          await expect
            .poll(
              async () => {
                const box = await page.locator(part).boundingBox();
                return box && Math.max(-box.y, box.y + Math.min(box.height, 200) - viewport.height);
              },
              { message: `step ${step}, ${part}` },
            )
            .toBeLessThanOrEqual(8);
        await page.keyboard.press("ArrowRight");
      }
      expect(errors).toEqual([]);
    } finally {
      await studio.close();
    }
  });
});

describe.skipIf(CHROMIUM === undefined)("what a visitor loads", () => {
  it("is at most 400 kB of compressed scripts for all views; ONNX Runtime comes when training starts", async () => {
    const studio = await openStudio({ folder: RECORDS });
    try {
      const { page, errors } = await studio.open(`#${SMALL}&study=remedies&results=figures`);
      const loaded = new Set<string>();
      page.context().on("request", (request) => loaded.add(new URL(request.url()).pathname.slice(1)));
      await page.reload();
      for (const view of VIEWS) {
        await page.getByRole("tab", { name: view }).click();
        await page.waitForTimeout(1000);
      }
      await page.locator("figure svg").first().waitFor();
      const isRuntime = (name: string) => /\/ort[-.]/.test(name);
      expect([...loaded].filter(isRuntime)).toEqual([]);
      await page.getByRole("tab", { name: "Training" }).click();
      await page.getByRole("button", { name: "Step" }).click();
      await expect
        .poll(() => [...loaded].some((name) => isRuntime(name) && name.endsWith(".wasm")))
        .toBe(true);
      const names = [...loaded].filter((name) => name.endsWith(".js") && !isRuntime(name));
      expect(names.length).toBeGreaterThan(20);
      expect(names.reduce((sum, name) => sum + compressed(name), 0)).toBeLessThan(400_000);
      expect(errors).toEqual([]);
    } finally {
      await studio.close();
    }
  });
});

/** Bytes of a file of the page as a web server sends it. */
const compressed = (name: string) => gzipSync(readFileSync(join(PAGE_FOLDER, name)), { level: 9 }).length;

describe("the files of the page", () => {
  const files = readdirSync(PAGE_FOLDER, { recursive: true, encoding: "utf8" });
  const scripts = files.filter((name) => [".js", ".mjs"].includes(extname(name)) && !/ort-wasm/.test(name));

  it("have at most 500 kB of compressed scripts with the readers of files and the figures of reports", () => {
    const own = scripts.filter((name) => !/^assets.ort[-.]/.test(name));
    expect(own.reduce((sum, name) => sum + compressed(name), 0)).toBeLessThan(500_000);
  });

  it("hold every module once: the page and its worker share them", () => {
    const holders = scripts.filter((name) => readFileSync(join(PAGE_FOLDER, name), "utf8").includes(PLAIN));
    expect(holders).toHaveLength(1);
  });

  it("style no class twice: views would change each other's looks", () => {
    const page = join(import.meta.dirname, "../../src/studio/page");
    const owners = new Map<string, Set<string>>();
    for (const name of readdirSync(page, { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".css")) continue;
      const rules = readFileSync(join(page, name), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
      for (const [, selectors] of rules.matchAll(/([^{}]+)\{/g))
        for (const selector of selectors.split(",").map((one) => one.trim()))
          if (/^\.[\w-]+$/.test(selector))
            owners.set(selector, (owners.get(selector) ?? new Set()).add(name));
    }
    expect(owners.size).toBeGreaterThan(100);
    expect([...owners].filter(([, files]) => files.size > 1).map(([selector]) => selector)).toEqual([]);
  });

  it("have one build of ONNX Runtime's WebAssembly", () => {
    expect(files.filter((name) => name.endsWith(".wasm") && /ort/.test(name))).toHaveLength(1);
  });
});
