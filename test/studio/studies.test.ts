import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTable } from "../../src/files/csv.js";
import { PAPER_ADDITIONS } from "../../src/paper/additions.js";
import { readTableFile, writeTable } from "../../src/studies/record-files.js";
import { exportPage } from "../../src/studio/server/export-page.js";
import { BIN } from "../cli/command.js";
import { CHROMIUM, type OpenStudio, openStudio } from "./studio-page.js";

const RECORDS = join(import.meta.dirname, "../../docs/results/records");
const AXE = readFileSync(join(import.meta.dirname, "../../node_modules/axe-core/axe.min.js"), "utf8");

/** Rows of a CSV as numbers where they are, by the texts of some columns. */
function csvRows(text: string, columns: readonly string[]): Map<string, Record<string, number | string>> {
  const { header = [], rows } = parseTable(text, "table");
  return new Map(
    rows.map((cells) => {
      const row = Object.fromEntries(header.map((name, i) => [name, cells[i]]));
      const values = Object.entries(row).map(([name, cell]) => [name, cell === "" ? "" : Number(cell)]);
      return [columns.map((name) => row[name]).join(" | "), Object.fromEntries(values)];
    }),
  );
}

describe.skipIf(CHROMIUM === undefined)("the view of studies", () => {
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-view-"));
  const path = (...names: string[]) => join(folder, ...names);
  let studio: OpenStudio;
  beforeAll(async () => {
    for (const name of ["remedies", "navier-stokes", "partitioners"])
      cpSync(join(RECORDS, name), path(name), { recursive: true });
    // The paper's grid: 275 runs of the controlled tasks and 100 of the public ones, 1000 rounds each.
    const all = await Promise.all(
      ["paper", "public"].map((name) => readTableFile(join(RECORDS, name), "records.parquet")),
    );
    mkdirSync(path("grid"));
    await writeTable(
      path("grid"),
      all.flatMap((rows) => rows!),
    );
    studio = await openStudio({ folder, additions: async () => PAPER_ADDITIONS });
  });
  afterAll(async () => {
    await studio?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const cards = (page: Page) => page.locator(".study-panel-card");
  const run = (...args: string[]) =>
    new Promise<string>((resolve, reject) => {
      const child = spawn(process.execPath, [BIN, ...args], { cwd: folder });
      let text = "";
      child.stdout.on("data", (part) => {
        text += part;
      });
      child.on("close", (status) =>
        status === 0 ? resolve(text) : reject(new Error(`${args} ended with ${status}`)),
      );
    });

  it("draws 375 runs of 1000 rounds soon after a click", async () => {
    const { page, errors } = await studio.open("#study=grid&task=antiderivative");
    await page.waitForTimeout(2000); // the data of other views are made meanwhile
    const milliseconds = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const start = performance.now();
          document.getElementById("tab-studies")!.click();
          const look = () => {
            const isDrawn = document.querySelectorAll(".study-panel-card .plot svg").length >= 4;
            if (isDrawn) requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
            else requestAnimationFrame(look);
          };
          look();
        }),
    );
    console.log(`375 runs: ${Math.round(milliseconds)} ms from the click until the plots are painted`);
    expect(milliseconds).toBeLessThan(4000); // under one second on an idle machine
    expect(await page.locator(".study-run-grid [role=option]").count()).toBe(375);
    expect(await page.getByText("375 of 375 runs finished").count()).toBe(1);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("compares along a setting, filtered, with the numbers of report --json on the same records", async () => {
    const { page, errors } = await studio.open("#view=studies&study=remedies");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByLabel("Compare along").selectOption("strategy");
    for (const name of ["FedAvg", "SCAFFOLD", "FedYogi"])
      await page.getByRole("button", { name: new RegExp(`^${name} \\d+$`) }).click();
    for (const seed of ["0", "42", "999"])
      await page.getByRole("button", { name: new RegExp(`^${seed} \\d+$`) }).click();
    await page.getByRole("button", { name: "Table" }).click();
    await expect
      .poll(() => new URL(page.url()).hash)
      .toContain("filter=strategy%3D%2Cscaffold%2Cfedyogi%3Bseed%3D0%2C42%2C999");
    await page.getByRole("button", { name: "Copy as CSV" }).click();
    const copied = csvRows(await page.evaluate(() => navigator.clipboard.readText()), [
      "level",
      "comparison",
    ]);

    const records = (await readTableFile(path("remedies"), "records.parquet"))!;
    const same = records.filter(
      ({ settings, seed }) =>
        [undefined, "scaffold", "fedyogi"].includes(settings.strategy as string) &&
        [0, 42, 999].includes(seed),
    );
    const beside = mkdtempSync(join(tmpdir(), "pde-dirichlet-same-"));
    await writeTable(beside, same);
    const { files } = JSON.parse(await run("report", beside, "--json"));
    const table = files.find((file: string) => file.endsWith("tables/compare-strategy.csv"));
    const reported = csvRows(readFileSync(table, "utf8"), ["level", "alpha"]);
    rmSync(beside, { recursive: true });

    expect(copied.size).toBe(9);
    for (const [key, own] of copied) {
      const [level, comparison] = key.split(" | ");
      const row = reported.get(`${level} | ${comparison.replace(/.*α = /, "")}`)!;
      for (const [column, other] of [
        ...["", "_sd", "_low", "_high"].map((part) => [`test_error${part}`, `test_error_percent${part}`]),
        ...["", "_sd", "_low", "_high"].map((part) => [`difference${part}`, `difference${part}`]),
        ["excess_error", "excess_error"],
        ["d_theta", "d_theta"],
        ["seeds", "seeds"],
      ]) {
        // The report leaves out what is zero in the reference.
        if (row[other] !== "") expect(own[column], `${key} ${column}`).toBeCloseTo(row[other] as number, 10);
      }
    }
    expect(copied.get("FedYogi | Antiderivative, α = 0.01")).toMatchObject({ seeds: 3, round: 1000 });
    expect(errors).toEqual([]);
    await page.close();
  });

  it("sorts the table by any column, both ways and back", async () => {
    const { page } = await studio.open("#view=studies&study=remedies&results=table&along=strategy");
    const column = async () =>
      (await page.locator(".study-sortable td:nth-child(4)").allTextContents()).map((text) =>
        Number.parseFloat(text),
      );
    await page.locator(".study-sortable td").first().waitFor();
    const before = await column();
    const heading = page.locator("th").nth(3);
    await heading.getByRole("button").click();
    expect(await heading.getAttribute("aria-sort")).toBe("ascending");
    expect(await column()).toEqual([...before].sort((a, b) => a - b));
    await heading.getByRole("button").click();
    expect(await column()).toEqual([...before].sort((a, b) => b - a));
    await heading.getByRole("button").click();
    expect(await column()).toEqual(before);
    await page.close();
  });

  it("keeps everything in the address, so that a link shows the same", async () => {
    const { page } = await studio.open("#view=studies&study=grid");
    await page.getByLabel("Measure").selectOption("excess_error");
    await page.getByLabel("At round").selectOption("100");
    await page.getByLabel("Compare along").selectOption("viscosity");
    await page
      .getByRole("button", { name: /^0\.1 \d+$/ })
      .last()
      .click();
    await cards(page).first().waitFor();
    const shown = await page.locator(".study-panel-cards").innerText();
    expect(shown).toContain("at round 100");
    await expect.poll(() => new URL(page.url()).hash).toContain("viscosity%3D0.1");
    const { hash } = new URL(page.url());
    await page.close();
    const { page: other, errors } = await studio.open(hash);
    await expect.poll(() => other.locator(".study-panel-cards").innerText()).toBe(shown);
    expect(errors).toEqual([]);
    await other.close();
  });

  it("draws the report's figures, and gives each as SVG, PNG and PDF", async () => {
    const { page, errors } = await studio.open("#view=studies&study=navier-stokes&results=figures");
    const sheet = page.locator(".study-sheet", { hasText: "Test error" }).first();
    await sheet.locator("svg").waitFor();
    for (const [format, start] of [
      ["SVG", "<svg"],
      ["PNG", "\x89PNG"],
      ["PDF", "%PDF"],
    ]) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        sheet.getByRole("link", { name: format }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`test-error.${format.toLowerCase()}`);
      expect(
        readFileSync(await download.path())
          .subarray(0, 4)
          .toString("latin1"),
      ).toBe(start);
    }
    await page.getByText("Results at α = 0.01").first().waitFor({ timeout: 20_000 });
    expect(errors).toEqual([]);
    await page.close();
  });

  it("opens a report that nobody has written, and writes one where the button says so", async () => {
    const { page } = await studio.open("#view=studies&study=navier-stokes&results=figures");
    const [report] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: "Show a report now" }).click(),
    ]);
    await report.getByRole("heading", { level: 1 }).waitFor();
    expect(await report.evaluate(() => getComputedStyle(document.body).maxWidth)).not.toBe("none");
    await report.close();
    await page.getByRole("button", { name: "Write the report into this folder" }).click();
    await page.getByText(/^Written: report\.html and \d+ files beside it/).waitFor({ timeout: 30_000 });
    expect(readFileSync(path("navier-stokes", "report.html"), "utf8")).toMatch(/^<!DOCTYPE html>/);
    await page.getByRole("link", { name: /^Open the report of/ }).waitFor();
    await page.close();
  });

  it("opens the journal of a run by keyboard and by a click", async () => {
    const { page, errors } = await studio.open("#view=studies&study=navier-stokes");
    const grid = page.getByRole("listbox", { name: "Runs" });
    await page.locator("#run-0[aria-label*='α = 0.01, seed 0']").waitFor(); // the order of the folder
    await grid.focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator(".study-run-words").innerText()).toMatch(
      /navier-stokes, α = 0.01, seed 1: finished, 50 rounds/,
    );
    await page.keyboard.press("Enter");
    const card = page.getByRole("region", { name: "Run", exact: true });
    expect(await card.innerText()).toContain("navier-stokes-k-10-adam-alpha-0.01-seed-1-");
    await card.locator(".plot svg").first().waitFor();
    await card.getByRole("button", { name: "Close" }).click();
    expect(await card.count()).toBe(0);
    await page.locator(".study-seed-dot").first().click();
    await card.waitFor();
    await expect.poll(() => new URL(page.url()).hash).toMatch(/run=navier-stokes-k-10/);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("says that a folder is gone, and shows it again when it is back", async () => {
    cpSync(path("partitioners"), path("moving"), { recursive: true });
    const { page, errors } = await studio.open("#view=studies&study=moving");
    await cards(page).first().waitFor();
    renameSync(path("moving"), path("moved"));
    await page.getByText("is not there").waitFor({ timeout: 20_000 });
    expect(await cards(page).count()).toBe(0);
    renameSync(path("moved"), path("moving"));
    await cards(page).first().waitFor({ timeout: 20_000 });
    expect(await page.getByText("is not there").count()).toBe(0);
    rmSync(path("moving"), { recursive: true });
    expect(errors).toEqual([]);
    await page.close();
  });

  it("lives on where a table is damaged, a journal has a broken line and a record is half", async () => {
    cpSync(join(RECORDS, "navier-stokes"), path("damaged"), { recursive: true });
    writeFileSync(path("damaged", "records.parquet"), "PAR1 nonsense PAR1");
    const { page, errors } = await studio.open("#view=studies&study=damaged");
    await page.getByText("records.parquet is a damaged Parquet file").waitFor();
    await cards(page).first().waitFor(); // what the runs say
    expect(await page.getByText("12 of 12 runs finished").count()).toBe(1);
    rmSync(path("damaged"), { recursive: true });
    expect(errors).toEqual([]);
    await page.close();
  });

  it("says that the server is gone, and keeps what it has shown", async () => {
    const own = await openStudio({ folder });
    const { page } = await own.open("#view=studies&study=remedies");
    await cards(page).first().waitFor();
    const before = await page.locator(".study-panel-cards").innerText();
    await own.server.close();
    await page.getByText("The studio's server does not answer").waitFor({ timeout: 20_000 });
    expect(await page.locator(".study-panel-cards").innerText()).toBe(before);
    await own.browser.close();
  });

  it("has no serious violation of accessibility, in both themes", async () => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const results of ["plots", "table", "figures"]) {
        const { page } = await studio.open(`#view=studies&study=navier-stokes&results=${results}`, {
          colorScheme,
        });
        await page.locator(".study-panel-card svg, .study-sortable td, .study-sheet svg").first().waitFor();
        await page.evaluate(AXE);
        const found = await page.evaluate("axe.run()");
        const serious = (
          found as { violations: { id: string; impact: string; nodes: { html: string }[] }[] }
        ).violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`);
        expect(serious, `${results}, ${colorScheme}`).toEqual([]);
        await page.close();
      }
  });

  it("follows a study that another process writes: progress moves and curves appear without a reload", async () => {
    writeFileSync(
      path("tiny.yaml"),
      "name: tiny\ntitle: A tiny study\ntasks: [{ task: antiderivative, train: 200, test: 50 }]\nalphas: [100, 0.1]\n" +
        "seeds: [0, 1]\nfederation: { clients: 5, rounds: 400 }\n",
    );
    const { page, errors } = await studio.open("#view=studies&study=live");
    await page.getByText("is not there").waitFor();
    // Looks on from now on: how many checkpoints the curves have, and what is said of the progress.
    await page.evaluate(() => {
      const seen: { points: number; words: string }[] = [];
      const states = new Set<string>();
      Object.assign(window, { seen, states });
      setInterval(() => {
        const points = document.querySelectorAll(".study-curves .checkpoint > *").length;
        const words = document.querySelector(".study-standing-head p")?.textContent ?? "";
        for (const run of document.querySelectorAll(".study-run-grid .study-run"))
          states.add(run.getAttribute("class")!);
        if (seen.at(-1)?.points !== points || seen.at(-1)?.words !== words) seen.push({ points, words });
      }, 50);
    });
    const child = spawn(
      process.execPath,
      [BIN, "study", "tiny.yaml", "--out", "live", "--jobs", "1", "--quiet"],
      {
        cwd: folder,
        env: { ...process.env, PDE_DIRICHLET_CACHE: path("cache") },
        stdio: "ignore",
      },
    );
    const ended = once(child, "close");
    try {
      expect((await ended)[0]).toBe(0);
      await page.getByText("4 of 4 runs finished").waitFor({ timeout: 20_000 });
      expect(await page.locator(".study-run.finished").count()).toBeGreaterThanOrEqual(4);
      // The table has come: it knows what journals do not.
      await expect
        .poll(() => page.getByLabel("Measure").locator("option").allTextContents())
        .toContain("D_θ");
      expect(await page.locator(".study-panel-card").innerText()).toContain("at round 400, 2 seeds");
      // A page that was loaded again would have nothing that it saw.
      const { seen, states } = await page.evaluate(() => {
        const own = window as unknown as { seen: { points: number; words: string }[]; states: Set<string> };
        return { seen: own.seen, states: [...own.states] };
      });
      expect(states).toEqual(
        expect.arrayContaining(["waiting", "running", "finished"].map((state) => `study-run ${state}`)),
      );
      const points = seen.map((one) => one.points);
      expect(points.at(-1)).toBe(2 * 9);
      expect(new Set(points).size).toBeGreaterThan(4);
      const finished = seen.flatMap(({ words }) => /^\d/.exec(words)?.map(Number) ?? []);
      expect(new Set(finished).size).toBeGreaterThan(2);
      expect(finished).toEqual([...finished].sort());
      const left = seen.flatMap(({ words }) => /, [^,]* left$/.exec(words) ?? []);
      expect(left.length).toBeGreaterThan(0);
      for (const words of left) expect(words).toMatch(/^, (less than a minute|about \d min) left$/);
      expect(errors).toEqual([]);
    } finally {
      child.kill();
    }
    await page.close();
  }, 120_000);

  it("shows a table of the visitor's own without a server", async () => {
    await exportPage(path("static"));
    const types: Record<string, string> = {
      ".html": "text/html",
      ".js": "text/javascript",
      ".css": "text/css",
      ".svg": "image/svg+xml",
    };
    const server = createServer((request, response) => {
      const name = new URL(request.url!, "http://x").pathname.replace(/^\/$/, "/index.html");
      try {
        const bytes = readFileSync(path("static", name));
        response
          .writeHead(200, { "content-type": types[extname(name)] ?? "application/octet-stream" })
          .end(bytes);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const page = await studio.browser.newPage({ viewport: { width: 1280, height: 800 } });
      const errors: string[] = [];
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(error.message));
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#view=studies`);
      await page.getByText("Look at results").waitFor();
      expect(await page.getByLabel("Study", { exact: true }).count()).toBe(0);
      await page.getByLabel("Open records.parquet or records.csv").setInputFiles(path("grid", "records.csv"));
      await cards(page).first().waitFor();
      expect(await page.getByText("375 of 375 runs finished").count()).toBe(1);
      await page
        .getByLabel("Open records.parquet or records.csv")
        .setInputFiles(path("remedies", "records.parquet"));
      await page.getByText("165 of 165 runs finished").waitFor();
      await page.getByRole("button", { name: "Figures and report" }).click();
      const sheet = page.locator(".study-sheet").first();
      await sheet.locator("svg").waitFor({ timeout: 20_000 });
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        sheet.getByRole("button", { name: "SVG" }).click(),
      ]);
      expect(readFileSync(await download.path(), "utf8")).toMatch(/^<svg/);
      await page.getByLabel("Open records.parquet or records.csv").setInputFiles(path("tiny.yaml"));
      await page.getByRole("alert").filter({ hasText: "tiny.yaml" }).waitFor();
      expect(errors).toEqual([]);
      await page.close();
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
