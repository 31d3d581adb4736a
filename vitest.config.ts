import { defineConfig } from "vitest/config";
import { SLOW } from "./vitest.slow.config.js";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // npm run test:cuda, npm run test:slow
    exclude: ["test/cuda/**", ...SLOW],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: "100%", // by default a core is left idle, which may be half of them
  },
});
