/** Bytes that this process may still take; a browser does not say. */
export function availableMemory(): number {
  const host = globalThis as { readonly process?: { availableMemory?(): number } };
  return host.process?.availableMemory?.() ?? Infinity;
}
