/** CUDA C of ours as C++, with what gpu.h has for instructions of the GPU, and a function that runs each kernel. */
export function inCplusplus(source: string): string {
  const text = source
    .replace(/asm(?: volatile)?\("([a-z0-9._]+)([^"]*)"[\s\S]*?\);/g, (_, name: string, rest: string) =>
      instruction(name, rest),
    )
    .replace(/asm\(""[^;]*;/g, "")
    .replaceAll("extern __shared__ float4 factor[];", "float4* factor = (float4*)dynamic_shared;")
    .replace(/__shared__ float shared\[(\d+)\];/g, "static Shared<$1> shared;\n  shared.begin();")
    .replaceAll('extern "C" __global__', "__global__");
  const kernels = [...text.matchAll(/^__global__ void __launch_bounds__\([^)]*\) (\w+)\(/gm)];
  const runners = kernels.map(({ 1: name, index }, i) => {
    const body = text.slice(index, kernels[i + 1]?.index);
    // Threads that wait for nobody need not take turns.
    const takesTurns = /__sync|__shfl|multiply_add/.test(body);
    return `extern "C" int run_${name}(void* const* pointers, unsigned x, unsigned y, unsigned z, unsigned count, unsigned bytes) {
  return launch(${name}, ${takesTurns}, pointers, x, y, z, count, bytes);
}
`;
  });
  return `#include "gpu.h"\n${text}\n${runners.join("")}`;
}

function instruction(name: string, rest: string): string {
  if (name.startsWith("mma.sync")) return "multiply_tile(c, a, x, y);";
  if (name.startsWith("ex2")) return "y = exp2f(x);";
  if (name === "cp.async.commit_group") return "end_group();";
  if (name === "cp.async.wait_all") return "wait_for_all();";
  if (name === "cp.async.wait_group") return `wait_for_groups(${Number.parseInt(rest, 10)});`;
  const [, size] = /^ \[%0\], \[%1\], (\d+), %2;$/.exec(rest) ?? [];
  if (name.startsWith("cp.async") && size) return `copy_later(to, from, ${size}u, bytes);`;
  throw new Error(`no emulation of ${name}${rest}`);
}
