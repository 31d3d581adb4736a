/** How many products of TF32 numbers make one: three keep the accuracy of float32, one has 10 bits of mantissa. */
export type Passes = 1 | 3;

/**
 * Tensor cores multiply numbers of 10 bits of mantissa (TF32) and add in float32. A float32 number is the sum of two
 * such numbers but for its last bits, x = high + low, so that x y = low_x high_y + high_x low_y + high_x high_y to
 * about 2^-21 ("3xTF32"; Ootomo and Yokota 2022, https://arxiv.org/abs/2203.03341). Here the parts of two numbers that
 * follow each other along the inner axis lie together: (high, high', low, low'). Tensor cores cut low parts
 * off, which loses no more than rounding would. Rounding makes zero of 0x7fffffff, the NaN that a GPU computes: its low
 * part is NaN still, and where there is but one pass it is not rounded.
 */
export const TENSOR_CORES = `template <int passes> __device__ __forceinline__ void divide(float x, unsigned& high, unsigned& low) {
  high = (__float_as_uint(x) + (passes > 1 || isfinite(x) ? 0x1000u : 0u)) & 0xffffe000u;
  low = __float_as_uint(x - __uint_as_float(high));
}
template <int passes> __device__ __forceinline__ float4 divided(float x, float y) {
  unsigned a, b, c, d;
  divide<passes>(x, a, b);
  divide<passes>(y, c, d);
  return make_float4(__uint_as_float(a), __uint_as_float(c), __uint_as_float(b), __uint_as_float(d));
}
template <int passes> __device__ __forceinline__ float4 of_pair(const float* at) {
  const float2 both = *(const float2*)at;
  return divided<passes>(both.x, both.y);
}
__device__ __forceinline__ void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned x, unsigned y) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(x), "r"(y));
}
template <int count> __device__ __forceinline__ void copy(float* to, const float* from, unsigned bytes) {
  const unsigned place = (unsigned)__cvta_generic_to_shared(to);
  if (count == 4) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from), "r"(bytes) : "memory");
  else if (count == 2) asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(place), "l"(from), "r"(bytes) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(place), "l"(from), "r"(bytes) : "memory");
}
`;

/** Threads that go together. */
export const WARP = 32;

/** Rows, columns and inner numbers of the product that a warp computes with one instruction. */
export const TILE = { rows: 16, columns: 8, inner: 8 } as const;

/** Numbers that are summed at a time: longer sums lose accuracy, for tensor cores do not round but cut off. */
export const LONGEST_SUM = 384;

/** Which parts of the left and the right factor are multiplied, small products first. */
export function passesOver(passes: Passes): readonly (readonly ["high" | "low", "high" | "low"])[] {
  return passes === 1
    ? [["high", "high"]]
    : [
        ["low", "high"],
        ["high", "low"],
        ["high", "high"],
      ];
}

/** The smallest number from `least` on that leaves `rest` when divided by `by`. */
export function leaving(rest: number, by: number, least: number): number {
  return least + ((((rest - least) % by) + by) % by);
}

/** All of these conditions that are conditions. */
export function every(...conditions: readonly (string | undefined)[]): string {
  return conditions.filter(Boolean).join(" && ") || "true";
}
