import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const NAME = "virtual:worker-address";
const WORKER = fileURLToPath(new URL("../src/studio/page/worker.ts", import.meta.url));

/**
 * Builds the page's worker together with the page, so that both load the same chunks. Vite builds a worker of its own by
 * itself, which repeats every module that the page has too.
 */
export function sharedWorkerChunks(): Plugin {
  return {
    name: "shared-worker-chunks",
    resolveId: { filter: { id: new RegExp(`^${NAME}$`) }, handler: () => `\0${NAME}` },
    load: {
      filter: { id: new RegExp(`${NAME}$`) },
      handler() {
        const file = this.emitFile({ type: "chunk", id: WORKER, name: "worker", preserveSignature: false });
        return `export default import.meta.ROLLUP_FILE_URL_${file};`;
      },
    },
    // A worker has no window: without this, a script that does not arrive would be reported as that.
    transform: {
      filter: { id: /vite\/preload-helper/ },
      handler(code) {
        if (!code.includes("window.dispatchEvent"))
          throw new Error(
            "Vite loads scripts otherwise than expected: adapt scripts/shared-worker-chunks.ts",
          );
        return { code: code.replaceAll("window.dispatchEvent", "globalThis.dispatchEvent"), map: null };
      },
    },
  };
}
