/**
 * Takes the pictures of docs/studio: every view of the studio on a screen of 1280 x 800 pixels at 1.25 times the
 * density. With --all <folder>, every view in light, in dark and on a phone in landscape, to be looked at. Needs a build, and
 * Chromium, which CHROMIUM names or /usr/bin/chromium is.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { startStudio } from "../dist/studio/server/server.js";

const { values } = parseArgs({ options: { all: { type: "string" } } });
const root = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const SCREEN = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.25 };
const SCREENS = values.all
  ? {
      "-light": { ...SCREEN, colorScheme: "light" },
      "-dark": { ...SCREEN, colorScheme: "dark" },
      "-phone": { viewport: { width: 844, height: 390 }, deviceScaleFactor: 2, colorScheme: "light" },
    }
  : { "": { ...SCREEN, colorScheme: "light" } };
const OUT = values.all ?? root("docs/studio");

const BURGERS = "task=burgers&train_samples=400&test_samples=100";
/** Address of each picture, and what a person does before it is taken. */
const PICTURES = {
  data: [`${BURGERS}&sample=7`, (page) => page.locator(".panel-frame").first().waitFor()],
  solutions: [
    `view=solutions&${BURGERS}&sample=7`,
    (page) => page.getByText("from centroid").first().waitFor({ timeout: 120_000 }),
  ],
  clients: [
    `view=clients&${BURGERS}`,
    (page) => page.locator("canvas[data-alpha]").waitFor({ timeout: 120_000 }),
  ],
  training: [
    "view=training&rounds=60",
    async (page) => {
      await page.getByText("DeepONet").first().waitFor();
      await page.getByRole("button", { name: "Start" }).click();
      await page.getByText("Round 60 of 60").waitFor({ timeout: 300_000 });
    },
  ],
  studies: ["view=studies&study=remedies", (page) => page.locator(".study-panel-card svg").first().waitFor()],
};

const server = await startStudio({
  folder: root("docs/results/records"),
  additions: async () => (await import("../dist/paper/additions.js")).PAPER_ADDITIONS,
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  mkdirSync(OUT, { recursive: true });
  for (const [suffix, screen] of Object.entries(SCREENS))
    for (const [name, [address, act]] of Object.entries(PICTURES)) {
      const page = await browser.newPage(screen);
      await page.addInitScript(() => localStorage.setItem("pde-dirichlet-tour", "seen"));
      await page.goto(`${server.url}#${address}`);
      await act(page);
      await page.waitForTimeout(3000); // curves along the dial, small pictures
      await page.screenshot({ path: join(OUT, `${name}${suffix}.png`) });
      await page.close();
      console.log(`${name}${suffix}.png`);
    }
} finally {
  await browser.close();
  await server.close();
}
