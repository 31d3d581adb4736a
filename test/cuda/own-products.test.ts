import { backendTests } from "./backend-tests.js";

backendTests("the CUDA backend with kernels of ours for all products", { hasKernel: () => true });
