import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PAGE_FOLDER } from "../../src/studio/server/page-files.js";
import { VIEWS } from "../../src/studio/settings.js";
import { CHROMIUM, type OpenStudio, openStudio } from "./studio-page.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

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

describe("the files of the page", () => {
  const files = readdirSync(PAGE_FOLDER, { recursive: true, encoding: "utf8" });
  const scripts = files.filter((name) => [".js", ".mjs"].includes(extname(name)) && !/ort-wasm/.test(name));

  it("have at most 600 kB of compressed scripts, most of which are loaded where they are needed", () => {
    const size = (name: string) => gzipSync(readFileSync(join(PAGE_FOLDER, name)), { level: 9 }).length;
    const first = scripts.filter((name) => /index-[^/]*\.js$/.test(name));
    expect(first).toHaveLength(1);
    expect(size(first[0])).toBeLessThan(160_000);
    expect(scripts.reduce((sum, name) => sum + size(name), 0)).toBeLessThan(600_000);
  });

  it("have one build of ONNX Runtime's WebAssembly", () => {
    expect(files.filter((name) => name.endsWith(".wasm") && /ort/.test(name))).toHaveLength(1);
  });
});
