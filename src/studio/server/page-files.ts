import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

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

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** How the bytes are compressed, if they are. */
  readonly encoding?: "br";
}

/**
 * A file of the page with its type; undefined for what is not there. `accepted` is the request's Accept-Encoding: the page
 * may be far away, behind a forwarded port.
 */
export async function pageFile(path: string, accepted = ""): Promise<PageFile | undefined> {
  const name = normalize(path === "/" ? "/index.html" : path);
  if (name.split(sep).includes("..")) return undefined;
  const type = TYPES[extname(name)];
  if (type === undefined) return undefined;
  try {
    const bytes = await readFile(join(PAGE_FOLDER, name));
    if (name === "/index.html") return { type, bytes: served(bytes) };
    if (!/\bbr\b/.test(accepted)) return { type, bytes };
    const packed = COMPRESSED.get(name) ?? compressed(bytes);
    COMPRESSED.set(name, packed);
    return { type, bytes: await packed, encoding: "br" };
  } catch {
    return undefined;
  }
}

/** Compressed files by name: a build's names change with their content. */
const COMPRESSED = new Map<string, Promise<Buffer>>();

/** Quality of Brotli: a quarter of a second for the 14 MB of ONNX Runtime. Higher ones take long to gain little. */
const QUALITY = 5;

const compressed = (bytes: Buffer): Promise<Buffer> =>
  promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });

/** The page that knows that a server stands behind it. */
const served = (html: Buffer): Buffer =>
  Buffer.from(
    html
      .toString()
      .replace('"pde-dirichlet-studio" content="static"', '"pde-dirichlet-studio" content="server"'),
  );
