/** Other processes of a benchmark: this program again, and Python's peers. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a program prints, as JSON. */
export function json(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, JAX_PLATFORMS: "cpu" } });
    let out = "";
    let error = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      error += chunk;
    });
    child.on("error", reject);
    child.on("close", (status) => (status === 0 ? resolve(JSON.parse(out)) : reject(new Error(error))));
  });
}

/** What a script of bench/peers prints, or undefined where Python lacks what it needs. */
export function peer(script, ...args) {
  const python = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
  const path = fileURLToPath(new URL(`peers/${script}`, import.meta.url));
  return json(python, [path, ...args]).catch(() => undefined);
}
