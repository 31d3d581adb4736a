import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** By far the longest file begins first, so that no core waits for it in the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => moduleId.endsWith("/emulation.test.ts");
    const others = await super.sort(files.filter((file) => !isLongest(file)));
    return [...files.filter(isLongest), ...others];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/cuda/**"], // npm run test:cuda
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: "100%", // by default a core is left idle, which may be half of them
    sequence: { sequencer: LongestFirst },
  },
});
