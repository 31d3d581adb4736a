import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { build, type Rollup } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scenario } from "./scenario.js";

const CHROMIUM = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== undefined && existsSync(path));

describe.skipIf(CHROMIUM === undefined)("in a browser", () => {
  const profile = mkdtempSync(join(tmpdir(), "pde-dirichlet-browser-"));
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
      ],
    });
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(profile, { recursive: true, force: true });
  });

  it("the whole protocol gives the same bits as in Node", async () => {
    const page = await browser.newPage();
    const script = await bundled();
    await page.route("**/*", (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>test</title>" }),
    );
    await page.goto("http://localhost/"); // a secure context without a server: every request is answered above
    await page.addScriptTag({ content: script });
    const inBrowser = await page.evaluate(() =>
      (globalThis as unknown as { scenario: typeof scenario }).scenario(),
    );
    expect(inBrowser).toEqual(JSON.parse(JSON.stringify(await scenario())));
  });
});

/** The scenario with everything it imports, as one script that puts it on the global object. */
async function bundled(): Promise<string> {
  const entry = join(import.meta.dirname, "scenario.ts");
  const output = (await build({
    logLevel: "error",
    configFile: false,
    build: {
      write: false,
      minify: false,
      target: "es2022",
      lib: { entry, formats: ["iife"], name: "bundle", fileName: "bundle" },
    },
  })) as Rollup.RollupOutput[];
  return `${output[0].output[0].code}\nglobalThis.scenario = bundle.scenario;`;
}
