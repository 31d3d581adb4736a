import { defineConfig } from "vitest/config";

/** Tests on a GPU, `npm run test:cuda`; one file at a time, since there is one GPU. */
export default defineConfig({
  test: {
    include: ["test/cuda/**/*.test.ts"],
    globalSetup: "test/cuda/announce.ts",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
