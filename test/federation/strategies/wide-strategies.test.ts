import { describe } from "vitest";
import { interpretingBackend } from "../../engine/cuda/plan/interpret.js";
import { strategyTests } from "./strategy-runs.js";

describe("strategies by the plans of the CUDA compiler", () => {
  const backend = interpretingBackend();
  strategyTests(() => backend, 1e-6);
});
