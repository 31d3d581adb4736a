import type { ElementwiseName } from "../../program.js";

/**
 * The tail of the normal distribution: log2 Phi(-t) = -1 + t (c0 + c1 t + ... + c7 t^7), with the least largest error of
 * max(1, t) Phi(-t) for 0 <= t <= 6 (weighted least squares after Lawson), 1.5e-8. It goes on falling beyond.
 */
export const TAIL = [
  -1.151106, -0.4591983, -0.05253361, 0.007126865, -1.9170354e-4, -1.6129384e-4, 3.3737815e-5, -2.334949e-6,
] as const;

/**
 * The normal distribution and its density, for GELU x Phi(x) and its slope Phi(x) + x phi(x). The error function that
 * comes with CUDA has two branches and takes three times as many instructions, more time than memory does.
 */
const NORMAL = `__device__ __forceinline__ float power_of_two(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float normal(float x) {
  const float t = fabsf(x);
  float y = ${floatText(TAIL.at(-1)!)};
${TAIL.slice(0, -1)
  .reverse()
  .map((c) => `  y = fmaf(y, t, ${floatText(c)});\n`)
  .join("")}  y = power_of_two(fmaf(y, t, -1.f));
  return x > 0.f ? 1.f - y : y;
}
__device__ __forceinline__ float density(float x) {
  return power_of_two(fmaf(${floatText(-0.5 * Math.LOG2E)} * x, x, ${floatText(-0.5 * Math.log2(2 * Math.PI))}));
}
`;

/** What a text of ours calls and CUDA does not have. */
export function definitions(texts: readonly string[]): string[] {
  return texts.some((text) => text.includes("normal(")) ? [NORMAL] : [];
}

const call = (name: string) => (x: string) => `${name}(${x})`;
const between = (sign: string) => (x: string, y: string) => `${x} ${sign} ${y}`;

/** Each operation on one element, in float32 and with the reference's treatment of 0 and NaN. */
export const ELEMENTWISE_TEXT: Readonly<
  Record<ElementwiseName, (x: string, y: string, slope: string) => string>
> = {
  add: between("+"),
  subtract: between("-"),
  multiply: between("*"),
  divide: between("/"),
  negate: (x) => `-${x}`,
  exp: call("expf"),
  log: call("logf"),
  sqrt: call("sqrtf"),
  tanh: call("tanhf"),
  erf: call("erff"),
  gelu: (x) => `${x} * normal(${x})`,
  geluSlope: (x) => `normal(${x}) + ${x} * density(${x})`,
  relu: (x) => `${x} <= 0.f ? 0.f : ${x}`,
  step: (x) => `${x} > 0.f ? 1.f : 0.f`,
  leakyRelu: (x, _, slope) => `${x} > 0.f ? ${x} : ${slope} * ${x}`,
  leakySlope: (x, _, slope) => `${x} > 0.f ? 1.f : ${slope}`,
};

/** A float32 literal that is exactly the number's nearest one. */
export function floatText(value: number): string {
  const nearest = Math.fround(value);
  if (!Number.isFinite(nearest)) {
    const bits = new Uint32Array(Float32Array.of(nearest).buffer)[0];
    return `__uint_as_float(0x${bits.toString(16)}u)`;
  }
  const text = nearest.toExponential(8);
  return nearest < 0 || Object.is(nearest, -0) ? `(${Object.is(nearest, -0) ? "-0.0" : text}f)` : `${text}f`;
}
