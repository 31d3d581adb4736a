import type { Backend } from "../../src/engine/backend.js";
import { cudaBackend } from "../../src/engine/cuda/cuda-backend.js";
import { strategyTests } from "../federation/strategies/strategy-runs.js";
import { describeOnDevice } from "./gpu.js";

describeOnDevice("strategies on a GPU", (device) => {
  let backend: Backend | undefined;
  strategyTests(() => {
    backend ??= cudaBackend(device());
    return backend;
  }, 2e-5);
});
