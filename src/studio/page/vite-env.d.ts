/// <reference types="vite/client" />

/** Address of the built {@link file://./worker.ts}, by scripts/shared-worker-chunks.ts. */
declare module "virtual:worker-address" {
  const address: string;
  export default address;
}
