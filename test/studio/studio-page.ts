import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type StudioServer, type StudioServerOptions, startStudio } from "../../src/studio/server/server.js";

/** A Chromium on this machine, if there is one; tests of the page are skipped without it. */
export const CHROMIUM = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== undefined && existsSync(path));

export interface OpenStudio {
  readonly server: StudioServer;
  readonly browser: Browser;
  /** A page of the studio. What its console says as an error, or throws, is in `errors`. */
  open(address?: string, options?: BrowserContextOptions): Promise<{ page: Page; errors: string[] }>;
  close(): Promise<void>;
}

/** The studio's server with the page that `npm run build` has made, and a browser. */
export async function openStudio(options: StudioServerOptions = {}): Promise<OpenStudio> {
  const server = await startStudio(options);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });
  return {
    server,
    browser,
    async open(address = "", context = {}) {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...context });
      const errors: string[] = [];
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(error.message));
      await page.goto(server.url + address);
      return { page, errors };
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
