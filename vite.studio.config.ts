import { fileURLToPath } from "node:url";
import { defaultClientConditions, defineConfig } from "vite";
import { separateHdf5Wasm } from "./scripts/separate-hdf5-wasm.js";
import { sharedWorkerChunks } from "./scripts/shared-worker-chunks.js";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Builds the page of the studio from src/studio/page into dist/page. It works from any address, below any folder. */
export default defineConfig({
  root: at("src/studio/page"),
  base: "./",
  publicDir: false,
  // TypeScript has made dist before; the page lies beside it.
  build: {
    outDir: at("dist/page"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    // Scripts that a worker runs can put no links into a document.
    modulePreload: { resolveDependencies: (_, links, { hostType }) => (hostType === "html" ? links : []) },
  },
  plugins: [separateHdf5Wasm(), sharedWorkerChunks()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  resolve: {
    // ONNX Runtime's glue and its WebAssembly as two files, which the page loads when training starts.
    conditions: ["onnxruntime-web-use-extern-wasm", ...defaultClientConditions],
    alias: {
      // A page has a document of its own to draw figures in.
      "linkedom/worker": at("src/studio/page/no-linkedom.ts"),
    },
  },
});
