import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** The page as it was built: dist/page, beside the compiled program; a program that runs from its source uses the same. */
export const PAGE_FOLDER = fileURLToPath(new URL("../../../dist/page", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".ttf": "font/ttf",
  ".wasm": "application/wasm",
  ".json": "application/json; charset=utf-8",
};

/** A file of the page with its type; undefined for what is not there. */
export async function pageFile(
  path: string,
): Promise<{ readonly type: string; readonly bytes: Buffer } | undefined> {
  const name = normalize(path === "/" ? "/index.html" : path);
  if (name.split(sep).includes("..")) return undefined;
  const type = TYPES[extname(name)];
  if (type === undefined) return undefined;
  try {
    const bytes = await readFile(join(PAGE_FOLDER, name));
    return { type, bytes: name === "/index.html" ? served(bytes) : bytes };
  } catch {
    return undefined;
  }
}

/** The page that knows that a server stands behind it. */
const served = (html: Buffer): Buffer =>
  Buffer.from(
    html
      .toString()
      .replace('"pde-dirichlet-studio" content="static"', '"pde-dirichlet-studio" content="server"'),
  );
