import { homedir } from "node:os";
import { join } from "node:path";

/** The folder of what can be made again: `PDE_DIRICHLET_CACHE`, or `pde-dirichlet` in the user's cache folder. */
export function cacheFolder(): string {
  const { PDE_DIRICHLET_CACHE, XDG_CACHE_HOME } = process.env;
  return PDE_DIRICHLET_CACHE || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "pde-dirichlet");
}
