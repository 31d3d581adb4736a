import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { federate } from "../../src/federation/federation.js";
import { prepareData } from "../../src/federation/prepared-data.js";
import { runOptions } from "../../src/federation/run-options.js";
import { train } from "../../src/federation/trainer.js";
import { writeNpz } from "../../src/files/npz.js";
import { exportPage } from "../../src/studio/server/export-page.js";
import { workFolder } from "../cli/command.js";
import { CHROMIUM, type OpenStudio, openStudio } from "./studio-page.js";

const { path, run } = workFolder();
/** Quick to open: data of 300 samples. */
const SMALL = "train_samples=300&test_samples=60";

/** Rounds a second of the same run by ONNX Runtime for Node. */
async function roundsInNode(): Promise<number> {
  const options = runOptions({ task: "antiderivative", alpha: 0.1, seed: 42, rounds: 200, checkpoints: [] });
  const problem = await federate(await prepareData(options), options);
  const began = performance.now();
  await train(problem, options);
  return (1000 * options.rounds) / (performance.now() - began);
}

describe.skipIf(CHROMIUM === undefined)("the view of training", () => {
  let studio: OpenStudio;
  beforeAll(async () => {
    // One file that `generate` has written, and one of a user's own with arrays of its own names.
    const made = await run(
      "generate",
      "antiderivative",
      "--seed",
      "3",
      "--train",
      "200",
      "--test",
      "40",
      "--out",
      "ours.h5",
    );
    expect(made.stderr + made.status).toMatch(/0$/);
    const field = (
      samples: number,
      shape: readonly number[],
      value: (x: number, sample: number) => number,
    ) => {
      const size = shape.reduce((product, length) => product * length, 1);
      return Float64Array.from({ length: samples * size }, (_, i) =>
        value((i % size) / size, Math.floor(i / size)),
      );
    };
    const own = writeNpz({
      a: { values: field(150, [32], (x, i) => Math.sin(2 * Math.PI * x + i)), shape: [150, 32] },
      u: {
        values: field(150, [32], (x, i) => Math.cos(2 * Math.PI * x + i) * (1 + (i % 3))),
        shape: [150, 32],
      },
    });
    writeFileSync(path("own.npz"), own);
    studio = await openStudio({ folder: path(".") });
  });
  afterEach(async () => {
    for (const context of studio.browser.contexts()) await context.close();
  });
  afterAll(() => studio?.close());

  const open = (address = "", options = {}) => studio.open(`#view=training&${address}`, options);
  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const rounds = async (page: Page) => Number(await page.locator('[data-measure="round"] b').textContent());
  const measure = (page: Page, row: number, name: string) =>
    page.locator(".run-table tbody tr").nth(row).locator(`[data-measure="${name}"]`).textContent();
  const number = async (page: Page, row: number, name: string) =>
    Number.parseFloat((await measure(page, row, name))!.replace("−", "-"));

  /** Starts, and waits for so many rounds. */
  async function trained(page: Page, count: number) {
    await button(page, "Start").click({ timeout: 30_000 });
    await expect.poll(() => rounds(page).catch(() => -1), { timeout: 90_000 }).toBeGreaterThanOrEqual(count);
  }

  /** Milliseconds from a click on a button until another one can be clicked, in the page's own time. */
  const pressed = (page: Page, name: string, next: string): Promise<number> =>
    page.evaluate(
      ([pressed, awaited]) =>
        new Promise<number>((resolve) => {
          const found = (text: string) =>
            [...document.querySelectorAll<HTMLButtonElement>(".train-buttons button")].find(
              (one) => one.textContent === text && !one.disabled,
            );
          const began = performance.now();
          const look = () =>
            found(awaited) ? resolve(performance.now() - began) : requestAnimationFrame(look);
          found(pressed)!.click();
          look();
        }),
      [name, next],
    );

  it("trains runs side by side whose errors fall, and draws what they do", async () => {
    const { page, errors } = await open(`${SMALL}&rounds=40`);
    await expect.poll(() => page.getByText("7,401 parameters").count(), { timeout: 30_000 }).toBe(3);
    await trained(page, 40);
    await expect.poll(() => button(page, "Done").count()).toBe(1);
    for (const row of [0, 1, 2]) {
      expect(await number(page, row, "test_error")).toBeLessThan(60); // from above 100 %
      expect(await number(page, row, "train_loss")).toBeLessThan(0.05);
    }
    expect(await measure(page, 0, "d_theta")).toBe("reference");
    expect(await number(page, 2, "d_theta")).toBeGreaterThan((await number(page, 1, "d_theta")) / 2);
    expect(await number(page, 0, "d_sol")).toBeLessThan(await number(page, 2, "d_sol"));
    const chart = page.getByRole("img", { name: /^Test error by round/ });
    expect(await chart.getAttribute("aria-label")).toMatch(
      /α = 100: \d+ %; α = 0\.1: \d+ %; α = 0\.01: \d+ %/,
    );
    expect(await page.getByRole("img", { name: /^Updates of 10 clients/ }).count()).toBe(1);
    expect(await page.locator(".prediction-card path.prediction").count()).toBe(1);
    expect(errors).toEqual([]);
  });

  it("ends after 20 rounds with the errors of the commands that Share shows, to four digits", async () => {
    const { page } = await open(
      `${SMALL}&rounds=20&runs=strategy=fedavg;strategy=scaffold,participation=0.5`,
    );
    await trained(page, 20);
    const found = await Promise.all(
      [0, 1].map(async (row) =>
        Number(await page.locator(".run-table tbody tr").nth(row).getAttribute("data-error")),
      ),
    );
    await button(page, "Share").click();
    const commands = await page.locator("dialog pre").nth(1).textContent();
    const lines = commands!.split("\n");
    expect(lines).toHaveLength(2);
    for (const [row, line] of lines.entries()) {
      const { stdout, stderr, status } = await run(
        ...line.split(" ").slice(1),
        "--json",
        "--quiet",
        "--device",
        "cpu",
      );
      expect(stderr + status).toMatch(/0$/);
      const { round, test_error } = JSON.parse(stdout).result;
      expect(round).toBe(20);
      expect(found[row] / test_error).toBeCloseTo(1, 4);
    }
  });

  it.each([
    ["ours.h5", ""],
    ["own.npz", "&reading.inputs=a&reading.responses=u&reading.test=0.2"],
  ])("trains on a file as the command does: %s", async (file, reading) => {
    const { page } = await open(`task=&file=${file}${reading}&clients=4&min_size=5&rounds=5&runs=alpha=0.5`);
    await trained(page, 5);
    const found = Number(await page.locator(".run-table tbody tr").first().getAttribute("data-error"));
    await button(page, "Share").click();
    const commands = (await page.locator("dialog pre").nth(1).textContent())!.split("\n");
    expect(commands).toHaveLength(1);
    const words = commands[0].split(" ").slice(1);
    const { stdout, stderr, status } = await run(...words, "--json", "--quiet", "--device", "cpu");
    expect(stderr + status).toMatch(/0$/);
    expect(found / JSON.parse(stdout).result.test_error).toBeCloseTo(1, 4);
  });

  it("pauses at once, does exactly one round for a step, and goes on", async () => {
    const { page } = await open(`${SMALL}&rounds=100000`);
    await trained(page, 5);
    const waits: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      waits.push(await pressed(page, "Pause", "Continue"));
      await button(page, "Continue").click();
      await button(page, "Pause").waitFor();
    }
    // The machine may do other things besides: the quickest of three tells.
    expect(Math.min(...waits)).toBeLessThan(1500); // 300 on an idle machine
    await button(page, "Pause").click();
    await button(page, "Continue").waitFor();
    const paused = await rounds(page);
    await page.waitForTimeout(400);
    expect(await rounds(page)).toBe(paused);
    for (const more of [1, 2]) {
      await button(page, "Step").click();
      await expect.poll(() => rounds(page), { timeout: 15_000 }).toBe(paused + more);
      await button(page, "Continue").waitFor();
    }
    await button(page, "Continue").click();
    await expect.poll(() => rounds(page), { timeout: 15_000 }).toBeGreaterThan(paused + 3);
  });

  it("stops at once, whatever it is doing, and starts anew", async () => {
    // A round of this one takes a second or more.
    const { page, errors } = await open(
      "task=burgers&train_samples=60&test_samples=20&min_size=2&size=usual&runs=alpha=1",
      {},
    );
    await button(page, "Start").click({ timeout: 30_000 });
    await page.waitForTimeout(2500);
    expect(await pressed(page, "Reset", "Start")).toBeLessThan(1500);
    await page.getByRole("spinbutton", { name: "local steps" }).fill("1");
    await page.keyboard.press("Tab");
    await page.waitForTimeout(400); // the old worker has ended by now
    await trained(page, 1);
    expect(errors).toEqual([]);
  });

  it("answers clicks within 100 ms while it trains, and trains on in other views", async () => {
    const { page } = await open(`${SMALL}&rounds=100000`);
    await trained(page, 3);
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      await page.waitForTimeout(50);
      // From the click to the next frame, in the page's own time.
      waits.push(
        await page.evaluate(
          (name) =>
            new Promise<number>((resolve) => {
              const radio = document.querySelector<HTMLInputElement>(
                `input[aria-label="Show ${name} below"]`,
              )!;
              const from = performance.now();
              setTimeout(() => {
                radio.click();
                requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - from)));
              });
            }),
          ["α = 0.1", "α = 0.01", "α = 100"][i % 3],
        ),
      );
    }
    waits.sort((a, b) => a - b);
    expect(waits[4]).toBeLessThan(500); // 100 on an idle machine
    await page.getByRole("tab", { name: "Clients" }).click();
    await page.waitForTimeout(1000);
    await page.getByRole("tab", { name: "Training" }).click();
    const before = await rounds(page);
    await expect.poll(() => rounds(page)).toBeGreaterThan(before);
  });

  it("says that settings have changed, and trains the new ones after a reset", async () => {
    const { page } = await open(`${SMALL}&rounds=4&runs=alpha=1;alpha=0.1`);
    await trained(page, 4);
    await page.getByLabel("Choose runs").selectOption({ label: "Three strategies" });
    await page.getByText("Settings changed: reset to train these.").waitFor();
    // What is on show is still what was trained.
    expect(await page.locator(".run-table tbody tr").count()).toBe(2);
    await button(page, "Reset").first().click();
    await trained(page, 4);
    expect(await page.locator(".run-table tbody tr th").allTextContents()).toEqual([
      "FedAvg",
      "FedProx, μ = 0.1",
      "SCAFFOLD",
    ]);
    await expect.poll(() => new URL(page.url()).hash).toContain("runs=strategy");
  });

  it("edits the list of runs, which the address keeps", async () => {
    const { page } = await open(`${SMALL}&runs=alpha=1`);
    const runs = () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get("runs");
    await button(page, "Add a run").click();
    await expect.poll(runs).toBe("alpha=1;alpha=100");
    await page.locator(".run-list summary").nth(1).click();
    await page.getByLabel("Add a setting to run 2").selectOption("strategy");
    await page.getByRole("combobox", { name: "strategy", exact: true }).first().selectOption("scaffold");
    await expect.poll(runs).toBe("alpha=1;alpha=100,strategy=scaffold");
    await page.getByRole("button", { name: "Take α out of run 2" }).click();
    await expect.poll(runs).toBe("alpha=1;strategy=scaffold");
    await button(page, "Remove this run").click();
    await expect.poll(runs).toBe("alpha=1");
  });

  it("says in one line what is wrong with runs, and lives on", async () => {
    const { page, errors } = await open(`${SMALL}&runs=alpha=1;alpha=x`);
    await page.getByText('run 2: alpha is a number from 0.000001 to 1000000000, not "x"').waitFor();
    expect(await button(page, "Start").isDisabled()).toBe(true);
    await page.getByLabel("Choose runs").selectOption({ label: "Three α" });
    await expect.poll(() => button(page, "Start").isEnabled(), { timeout: 30_000 }).toBe(true);
    await page.goto(`${studio.server.origin}#view=training&${SMALL}&runs=strategy=scaffold,local=branch.*`);
    await page.getByRole("cell", { name: /^scaffold corrects all parameters/ }).waitFor();
    await button(page, "Start").click();
    await page
      .getByRole("alert")
      .getByText(/^scaffold corrects all parameters/)
      .waitFor();
    expect(errors).toEqual([]);
  });

  it("shows another sample and another run while it is paused", async () => {
    const { page } = await open(`${SMALL}&rounds=3&runs=alpha=100;alpha=0.01`);
    await trained(page, 3);
    const error = () => page.locator(".prediction-card figure[data-error]").getAttribute("data-error");
    await expect.poll(error).not.toBeNull();
    const first = await error();
    await page.getByRole("button", { name: "Next sample" }).click();
    await expect.poll(error).not.toBe(first);
    const second = await error();
    await page.getByRole("radio", { name: "Show α = 0.01 below" }).check();
    await expect.poll(error).not.toBe(second);
    await expect.poll(() => new URL(page.url()).hash).toContain("&detail=1");
  });

  it("does 8 rounds a second or more of ten clients, or a tenth of Node's where the machine is busy", async () => {
    const { page } = await open("rounds=100000&runs=alpha=0.1");
    await trained(page, 20);
    const [from, began] = [await rounds(page), Date.now()];
    await page.waitForTimeout(4000);
    const rate = (1000 * ((await rounds(page)) - from)) / (Date.now() - began);
    await page.close();
    expect(rate).toBeGreaterThan(Math.min(8, (await roundsInNode()) / 10));
  });

  it("trains in a page that any web server sends, without isolation and threads", async () => {
    const folder = path("exported");
    await exportPage(folder);
    const server = createServer(async (request, response) => {
      const name = new URL(request.url!, "http://localhost").pathname.replace(/\/$/, "/index.html");
      const types: Record<string, string> = {
        ".html": "text/html",
        ".wasm": "application/wasm",
        ".css": "text/css",
      };
      const bytes = await readFile(join(folder, name)).catch(() => undefined);
      response.writeHead(bytes ? 200 : 404, { "Content-Type": types[extname(name)] ?? "text/javascript" });
      response.end(bytes);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const page = await studio.browser.newPage();
      await page.goto(`http://127.0.0.1:${port}/#view=training&${SMALL}&rounds=3&runs=alpha=1`);
      expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
      await trained(page, 3);
      expect(await number(page, 0, "test_error")).toBeGreaterThan(0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it("has no serious fault that axe finds, in light and dark", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page } = await open(`${SMALL}&rounds=3`, { colorScheme, reducedMotion: "reduce" });
      await trained(page, 3);
      await page.locator(".run-list summary").first().click();
      // The page's policy lets no foreign script in.
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() =>
        (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ["violations"] }),
      );
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      await page.context().close();
    }
  });
});
