#!/usr/bin/env node
const { existsSync } = require("node:fs");
const { availableParallelism } = require("node:os");
const { pathToFileURL } = require("node:url");
const { join } = require("node:path");

const built = join(__dirname, "../dist/cli/main.js");
if (!existsSync(built)) {
  process.stderr.write("pde-dirichlet: not built yet: run `npm ci && npm run build` first\n");
  process.exit(1);
}
// A reader that closes early, such as `head`, is no error.
process.stdout.on("error", (error) => process.exit(error.code === "EPIPE" ? 0 : 1));
// Nor is one that hears no progress a reason to give up the work.
process.stderr.on("error", () => {});
// Kernels of a GPU are compiled by these threads, four by default. To be said before the first module is imported, which
// is why this file is none (package.json beside it).
process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, availableParallelism()));
// What Node says of work that is never done, unless it is.
process.exitCode = 13;
import(pathToFileURL(built)).then(async ({ main }) => {
  process.exitCode = await main(process.argv.slice(2));
});
