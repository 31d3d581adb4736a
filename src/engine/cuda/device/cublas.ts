import { DeviceError } from "../../../errors.js";
import { bind, type Ffi, received, received64 } from "./ffi.js";
import { gemmArguments, type Pointer, type StridedProduct } from "./gemm.js";
import { type Machine, openLibrary } from "./libraries.js";

/** NVIDIA's products of matrices. */
export interface Cublas {
  readonly path: string;
  /** As `13.1`. */
  readonly version: string;
  /** Starts it on a stream of the current context. The workspace is its own until it is closed. */
  start(options: {
    readonly stream: bigint;
    readonly workspace: Pointer;
    readonly workspaceBytes: number;
    readonly tf32: boolean;
  }): Multiplier;
}

export interface Multiplier {
  multiply(product: StridedProduct): void;
  /** Products that differ from this one in their matrices only, `count` of them, whose addresses lie on the device. */
  multiplyAt(addresses: Pointer, count: number, alike: StridedProduct): void;
  close(): void;
}

const PROTOTYPES = {
  cublasGetProperty: "int property, void *value",
  cublasCreate_v2: "void *handle",
  cublasDestroy_v2: "uint64_t handle",
  cublasSetStream_v2: "uint64_t handle, uint64_t stream",
  cublasSetWorkspace_v2: "uint64_t handle, uint64_t workspace, size_t bytes",
  cublasSetMathMode: "uint64_t handle, int mode",
  cublasSetAtomicsMode: "uint64_t handle, int mode",
  cublasGemmStridedBatchedEx:
    "uint64_t handle, int transa, int transb, int m, int n, int k, const void *alpha, uint64_t A, int Atype, " +
    "int lda, int64_t strideA, uint64_t B, int Btype, int ldb, int64_t strideB, const void *beta, uint64_t C, " +
    "int Ctype, int ldc, int64_t strideC, int batchCount, int computeType, int algo",
  cublasGemmBatchedEx:
    "uint64_t handle, int transa, int transb, int m, int n, int k, const void *alpha, uint64_t A, int Atype, " +
    "int lda, uint64_t B, int Btype, int ldb, const void *beta, uint64_t C, int Ctype, int ldc, int batchCount, " +
    "int computeType, int algo",
} as const;

// Values of cublas_api.h and library_types.h.
const CUDA_R_32F = 0;
const CUBLAS_DEFAULT_MATH = 0;
const CUBLAS_ATOMICS_NOT_ALLOWED = 0;
const CUBLAS_GEMM_DEFAULT = -1;
/** With the default mathematics at least as many bits as float32 has: TF32, which has fewer, is not taken. */
const CUBLAS_COMPUTE_32F = 68;
const CUBLAS_COMPUTE_32F_FAST_TF32 = 77;

/** Loads cuBLAS; it needs a driver only when it is started. */
export function openCublas(ffi: Ffi, machine?: Machine, majors?: readonly number[]): Cublas {
  const { library, path } = openLibrary(ffi, "cublas", machine, majors);
  const nameOf = library.text("const char *cublasGetStatusName(int status)");
  const fail = (call: string, status: number): never => {
    throw new DeviceError(`${call} failed: ${nameOf(status)}; --device cpu computes without the GPU`);
  };
  const calls = bind(library, PROTOTYPES, fail);
  const property = (which: number) => received((into) => calls.cublasGetProperty(which, into));
  const one = Float32Array.of(1);
  const betas = [Float32Array.of(0), Float32Array.of(1)];
  return {
    path,
    version: `${property(0)}.${property(1)}`,
    start({ stream, workspace, workspaceBytes, tf32 }) {
      const handle = received64((into) => calls.cublasCreate_v2(into));
      calls.cublasSetStream_v2(handle, stream);
      // After the stream, which takes the workspace away. With one of our own, bits are the same every time and
      // nothing is allocated while a graph is captured.
      calls.cublasSetWorkspace_v2(handle, workspace, workspaceBytes);
      calls.cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);
      calls.cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_NOT_ALLOWED);
      const compute = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
      return {
        multiply(product) {
          const g = gemmArguments(product);
          if (g.m === 0 || g.n === 0 || g.batchCount === 0) return;
          // biome-ignore format: in the order of the prototype
          calls.cublasGemmStridedBatchedEx(
            handle, g.transa, g.transb, g.m, g.n, g.k, one,
            g.A, CUDA_R_32F, g.lda, g.strideA, g.B, CUDA_R_32F, g.ldb, g.strideB, betas[product.beta],
            g.C, CUDA_R_32F, g.ldc, g.strideC, g.batchCount, compute, CUBLAS_GEMM_DEFAULT,
          );
        },
        multiplyAt(addresses, count, alike) {
          const g = gemmArguments(alike);
          const [A, B, C] = [0, 1, 2].map((which) => addresses + BigInt(8 * which * count));
          // biome-ignore format: in the order of the prototype
          calls.cublasGemmBatchedEx(
            handle, g.transa, g.transb, g.m, g.n, g.k, one, A, CUDA_R_32F, g.lda, B, CUDA_R_32F, g.ldb,
            betas[alike.beta], C, CUDA_R_32F, g.ldc, count, compute, CUBLAS_GEMM_DEFAULT,
          );
        },
        close: () => calls.cublasDestroy_v2(handle),
      };
    },
  };
}
