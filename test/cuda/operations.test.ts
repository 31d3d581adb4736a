import { backendTests } from "./backend-tests.js";

backendTests("the CUDA backend");
