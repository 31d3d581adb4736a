import { defineConfig } from "vitest/config";

/** Tests on a GPU, `npm run test:cuda`; files share it, since most of the time it waits for the reference and compilers. */
export default defineConfig({
  test: {
    include: ["test/cuda/**/*.test.ts"],
    globalSetup: "test/cuda/announce.ts",
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
