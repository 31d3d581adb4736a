import { PLAIN, SHARED } from "./binary.js";

const modules = new Map<string, Promise<WebAssembly.Module>>();

/** The compiled kernels, for a memory of one's own or for one that threads share. */
export function loadKernels(shared: boolean): Promise<WebAssembly.Module> {
  const base64 = shared ? SHARED : PLAIN;
  let module = modules.get(base64);
  if (!module) {
    module = WebAssembly.compile(decoded(base64));
    modules.set(base64, module);
  }
  return module;
}

/** The kernels at work in a memory of the caller's own, without waiting: for simulators, which are plain functions. */
export function kernelsIn(memory: WebAssembly.Memory): WebAssembly.Exports {
  return new WebAssembly.Instance(moduleAtOnce(PLAIN), { env: { memory } }).exports;
}

const made = new Map<string, WebAssembly.Module>();

/** A module, compiled when it is first asked for, without waiting. In a page only small ones may be. */
export function moduleAtOnce(base64: string): WebAssembly.Module {
  let module = made.get(base64);
  if (!module) {
    module = new WebAssembly.Module(decoded(base64));
    made.set(base64, module);
  }
  return module;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
