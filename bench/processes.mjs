/** Other processes of a benchmark: this program again, and Python's peers. */
import { spawn } from "node:child_process";
import { cpus, totalmem } from "node:os";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";

const CPU = { JAX_PLATFORMS: "cpu" };

/** This machine in words. */
export const hardware = () =>
  `${cpus().length} cores, ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;

/** What a program prints, as JSON. */
export function json(command, args, environment = CPU) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, ...environment } });
    const stop = () => child.kill();
    process.once("exit", stop); // a child does not outlive the benchmark
    let out = "";
    let error = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      error += chunk;
    });
    child.on("error", reject);
    child.on("close", (status) => {
      process.off("exit", stop);
      if (status === 0) resolve(JSON.parse(out));
      else reject(new Error(error));
    });
  });
}

/** What a script of bench/peers prints, or undefined where Python lacks what it needs. */
export function peer(script, ...args) {
  return json(pythons()[0], [pathOf(script), ...args]).catch(() => undefined);
}

/** The same on a GPU, by the first Python that can; what each complained of if none can. */
export async function peerOnGpu(script, name, ...args) {
  const errors = [];
  for (const python of pythons())
    try {
      return await json(python, [pathOf(script), name, "cuda", ...args], { JAX_PLATFORMS: "cuda" });
    } catch (error) {
      errors.push(error.message.trim().split("\n").at(-1));
    }
  return { error: errors.join("; ") };
}

function pythons() {
  return (process.env.PDE_DIRICHLET_PYTHON ?? "python3").split(delimiter);
}

function pathOf(script) {
  return fileURLToPath(new URL(`peers/${script}`, import.meta.url));
}
