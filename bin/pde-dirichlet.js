#!/usr/bin/env node
import { existsSync } from "node:fs";

const built = new URL("../dist/cli/main.js", import.meta.url);
if (!existsSync(built)) {
  process.stderr.write("pde-dirichlet: not built yet: run `npm ci && npm run build` first\n");
  process.exit(1);
}
// A reader that closes early, such as `head`, is no error.
process.stdout.on("error", (error) => process.exit(error.code === "EPIPE" ? 0 : 1));
// Nor is one that hears no progress a reason to give up the work.
process.stderr.on("error", () => {});
const { main } = await import(built.href);
process.exitCode = await main(process.argv.slice(2));
