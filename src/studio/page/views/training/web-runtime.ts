import glue from "onnxruntime-web/ort-wasm-simd-threaded.mjs?url";
import wasm from "onnxruntime-web/ort-wasm-simd-threaded.wasm?url";
import type { Backend } from "../../../../engine/backend.js";
import { webBackend } from "../../../../engine/onnx/web-backend.js";

/** Threads of WebAssembly: one core is the page's own, and small programs gain nothing from more than these. */
const MOST_THREADS = 4;

let runtime: Promise<Backend> | undefined;

/** ONNX Runtime for the web, loaded when it is first needed. Its two files lie beside the page. */
export function loadWebRuntime(): Promise<Backend> {
  runtime ??= load();
  runtime.catch(() => {
    runtime = undefined; // the next start tries again
  });
  return runtime;
}

async function load(): Promise<Backend> {
  const ort = await import("onnxruntime-web/wasm");
  const at = (path: string) => new URL(path, import.meta.url).href;
  ort.env.wasm.wasmPaths = { mjs: at(glue), wasm: at(wasm) };
  // Threads share memory, which only an isolated page has: one on a plain web server has none.
  ort.env.wasm.numThreads = crossOriginIsolated
    ? Math.max(1, Math.min(MOST_THREADS, navigator.hardwareConcurrency - 1))
    : 1;
  return webBackend(ort);
}
