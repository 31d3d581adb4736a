import { readdir, realpath, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, extname } from "node:path";
import { Command } from "commander";
import { FileError, OptionError } from "../errors.js";
import { RECORDS_CSV, RECORDS_PARQUET } from "../studies/record-files.js";
import { addressOf } from "../studio/address.js";
import { exportPage } from "../studio/server/export-page.js";
import type { StudioContext } from "../studio/server/route.js";
import { type StudioServer, startStudio } from "../studio/server/server.js";
import { DEFAULT_SETTINGS } from "../studio/settings.js";
import { type CommonOptions, wholeNumber, withCommonOptions } from "./options/arguments.js";
import { hasScreen, openBrowser } from "./studio/open-browser.js";
import { warn } from "./warning.js";

interface StudioOptions extends CommonOptions {
  readonly port?: number;
  readonly open: boolean;
  readonly export?: string;
  readonly force?: boolean;
}

export function studioCommand(): Command {
  const command = new Command("studio")
    .summary("open a page that shows data, splits, training and studies")
    .description(
      "Open a page in the browser: look at data and their solution bins, turn the dial of heterogeneity, train clients, " +
        "follow a study. The page computes in the browser. The server listens on this machine alone and reads only " +
        "what you name. Ctrl-C ends it.",
    )
    .argument(
      "[file or folder]",
      "a file of data, the --out folder of a study, or a folder above several (default: built-in tasks)",
    )
    .option("--port <number>", "port on this machine (default: a free one)", wholeNumber)
    .option("--no-open", "print the address and open no browser")
    .option("--export <folder>", "write the page to a folder instead, for any web server")
    .option("--force", "with --export, replace an earlier export")
    .action(studioAction);
  return withCommonOptions(
    command,
    "pde-dirichlet studio",
    "pde-dirichlet studio burgers.h5",
    "pde-dirichlet studio out/quickstart --port 8080 --no-open",
    "pde-dirichlet studio --export public",
  );
}

async function studioAction(given: string | undefined, options: StudioOptions): Promise<void> {
  const { port, export: folder, force, json, quiet } = options;
  if (port !== undefined && port > 65535) throw new OptionError(`--port is at most 65535, not ${port}`);
  if (folder !== undefined) {
    if (given !== undefined)
      throw new OptionError(
        `--export writes a page for everybody, without ${given}: leave it out, or leave out --export`,
      );
    await exportAction(folder, options);
    return;
  }
  if (force)
    throw new OptionError("--force replaces an earlier --export: name its folder, or leave out --force");
  const { context, hash } = given === undefined ? { context: {}, hash: "" } : await opened(given);
  const studio = await startStudio({
    ...context,
    port,
    additions: async () => (await import("../paper/additions.js")).PAPER_ADDITIONS,
    onError: (error) => warn(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  });
  const address = studio.url + (hash && `#${hash}`);
  if (json) console.log(JSON.stringify({ url: address, port: studio.port }));
  else {
    console.log(`Studio: ${address}`);
    if (!quiet) for (const line of await howToOpen(studio, address, options)) console.log(line);
  }
  await untilStopped();
  await studio.close();
  if (!quiet && !json) console.log("\nStopped.");
}

async function exportAction(folder: string, { force, json, quiet }: StudioOptions): Promise<void> {
  const { files, bytes } = await exportPage(folder, { force });
  if (json) {
    console.log(JSON.stringify({ folder, files }));
    return;
  }
  console.log(`Written: ${folder}, ${files.length} files, ${(bytes / 1e6).toFixed(1)} MB`);
  if (quiet) return;
  console.log(
    "Any web server can serve it, also GitHub Pages. It has built-in tasks and the visitor's own files.",
  );
}

/** Opens the browser where there is one; says what a person has to do. */
async function howToOpen(
  { port }: StudioServer,
  address: string,
  { open }: StudioOptions,
): Promise<string[]> {
  const end = "Press Ctrl-C to end it.";
  if (hasScreen()) {
    if (!open) return ["Open this address in a browser on this machine.", end];
    return (await openBrowser(address))
      ? [end]
      : ["No browser could be started: open the address yourself.", end];
  }
  return [
    "From your own machine, first forward the port, then open the address there:",
    `  ssh -L ${port}:127.0.0.1:${port} ${hostname()}`,
    end,
  ];
}

/** What the page may read, and what it shows first. */
async function opened(path: string): Promise<{ readonly context: StudioContext; readonly hash: string }> {
  const status = await stat(path).catch(() => undefined);
  if (!status) throw new FileError(`there is no ${path}: name a file of data or the folder of a study`);
  if (status.isDirectory()) {
    const folder = await realpath(path);
    if (!(await isStudy(folder))) return { context: { folder }, hash: addressed({ view: "studies" }) };
    return {
      context: { folder, opened: { kind: "study", path: "." } },
      hash: addressed({ view: "studies", study: "." }),
    };
  }
  if (extname(path) === ".json")
    throw new FileError(
      `${path} is no data: open the file that it was made from, or \`bins ${path}\` to look at its bins`,
    );
  const real = await realpath(path);
  const file = basename(real);
  return {
    context: { folder: dirname(real), opened: { kind: "file", path: file } },
    hash: addressed({ task: "", file }),
  };
}

const addressed = (settings: Partial<typeof DEFAULT_SETTINGS>): string =>
  addressOf({ ...DEFAULT_SETTINGS, ...settings });

/** Whether a folder holds runs or their table, as `study`, `train` and `report` leave them. */
async function isStudy(folder: string): Promise<boolean> {
  const entries = await readdir(folder);
  return ["studies", "runs", RECORDS_PARQUET, RECORDS_CSV].some((name) => entries.includes(name));
}

/** Resolves with the first signal that asks the program to end. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}
