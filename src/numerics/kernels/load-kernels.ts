import { PLAIN, SHARED } from "./binary.js";

const modules = new Map<string, Promise<WebAssembly.Module>>();

/** The compiled kernels, for a memory of one's own or for one that threads share. */
export function loadKernels(shared: boolean): Promise<WebAssembly.Module> {
  const base64 = shared ? SHARED : PLAIN;
  let module = modules.get(base64);
  if (!module) {
    module = WebAssembly.compile(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
    modules.set(base64, module);
  }
  return module;
}
