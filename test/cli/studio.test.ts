import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasScreen } from "../../src/cli/studio/open-browser.js";
import { CHROMIUM } from "../studio/studio-page.js";
import { BIN, workFolder } from "./command.js";

const { path, run, folder } = workFolder();

/** Starts the studio, gives its first line to `use`, and tells it to end. */
async function whileRunning(args: readonly string[], use: (line: string) => Promise<void>): Promise<number> {
  const child = spawn(process.execPath, [BIN, "studio", ...args, "--no-open"], { cwd: folder });
  const ended = new Promise<number>((resolve) => child.on("exit", (code) => resolve(code ?? -1)));
  try {
    const line = await new Promise<string>((resolve, reject) => {
      let said = "";
      child.stdout.on("data", (text) => {
        said += text;
        if (said.includes("\n")) resolve(said.split("\n")[0]);
      });
      ended.then((code) => reject(new Error(`ended with ${code}: ${said}`)));
    });
    await use(line);
  } finally {
    child.kill("SIGINT");
  }
  return ended;
}

describe("studio", () => {
  it("serves the page to whoever has the address, until Ctrl-C ends it", async () => {
    const status = await whileRunning(["--json"], async (line) => {
      const { url, port } = JSON.parse(line);
      expect(url).toBe(`http://127.0.0.1:${port}/?token=${new URL(url).searchParams.get("token")}`);
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(403);
      const letIn = await fetch(url, { redirect: "manual" });
      const cookie = letIn.headers.get("set-cookie")!.split(";")[0];
      const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { cookie } });
      expect(await page.text()).toContain('content="server"');
    });
    expect(status).toBe(0);
  });

  it("opens a file in the view of data and the folder of a study in that of studies", async () => {
    await run("generate", "antiderivative", "--train", "20", "--test", "0", "--out", "a.h5");
    mkdirSync(path("done/runs"), { recursive: true });
    for (const [given, hash] of [
      ["a.h5", "#task=&file=a.h5"],
      ["done", "#view=studies&study=."],
      [".", "#view=studies"],
    ])
      await whileRunning([given, "--json"], async (line) =>
        expect(new URL(JSON.parse(line).url).hash).toBe(hash),
      );
  });

  it("says in one line what it cannot do", async () => {
    writeFileSync(path("p.json"), "{}");
    await whileRunning(["--json"], async (line) => {
      const { port } = JSON.parse(line);
      expect((await run("studio", "--port", String(port))).stderr).toBe(
        `pde-dirichlet: port ${port} is taken: give another --port, or none for a free one\n`,
      );
    });
    for (const [args, words] of [
      [["nothing.h5"], "there is no nothing.h5"],
      [["p.json"], "p.json is no data"],
      [["--port", "70000"], "--port is at most 65535"],
      [["--force"], "leave out --force"],
      [["a.h5", "--export", "page"], "leave out --export"],
    ] as const) {
      const { status, stderr } = await run("studio", ...args);
      expect(status).toBe(1);
      expect(stderr).toContain(words);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    }
  });

  it("opens a browser only where somebody sees it", () => {
    expect(hasScreen({ DISPLAY: ":0" }, "linux")).toBe(true);
    expect(hasScreen({ WAYLAND_DISPLAY: "wayland-0" }, "linux")).toBe(true);
    expect(hasScreen({}, "linux")).toBe(false);
    expect(hasScreen({}, "darwin")).toBe(true);
    expect(hasScreen({ SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22", DISPLAY: ":0" }, "darwin")).toBe(false);
  });
});

describe("studio --export", () => {
  it("replaces its own folder when told to, and no other", async () => {
    expect(await run("studio", "--export", "page")).toMatchObject({ status: 0 });
    expect((await run("studio", "--export", "page")).stderr).toContain(
      "choose another --export or add --force",
    );
    const before = readdirSync(path("page")).sort();
    expect(before).toEqual([".nojekyll", "assets", "index.html"]);
    expect((await run("studio", "--export", "page", "--force")).status).toBe(0);
    writeFileSync(path("page/notes.txt"), "mine");
    expect((await run("studio", "--export", "page", "--force")).stderr).toContain("notes.txt");
    expect(readFileSync(path("page/notes.txt"), "utf8")).toBe("mine");
  });

  it.skipIf(CHROMIUM === undefined)("works from below any folder of a server that is not ours", async () => {
    expect((await run("studio", "--export", "public")).status).toBe(0);
    const server = await plainServer(path("public"), "/some/folder");
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(error.message));
      const { port } = server.address() as AddressInfo;
      await page.goto(`http://127.0.0.1:${port}/some/folder/`);
      await page.getByRole("tab", { name: "Clients" }).click();
      await expect.poll(() => page.getByText("D").count()).toBeGreaterThan(0);
      expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
      server.close();
    }
  });
});

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".wasm": "application/wasm",
};

/** A server that sends files below an address, and no headers but their type. */
function plainServer(root: string, below: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, "http://x");
    const name = pathname.slice(below.length) === "/" ? "/index.html" : pathname.slice(below.length);
    const bytes = await readFile(join(root, name)).catch(() => undefined);
    if (!pathname.startsWith(below) || !bytes) response.writeHead(404).end();
    else response.writeHead(200, { "Content-Type": TYPES[extname(name)] }).end(bytes);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}
