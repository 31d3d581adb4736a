/** SHA-256 of bytes, in hexadecimal. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** SHA-256 of parameters as little-endian float32, what `parameters_sha256` means in every record. */
export function parametersSha256(parameters: Float32Array): Promise<string> {
  return sha256(new Uint8Array(parameters.buffer, parameters.byteOffset, parameters.byteLength));
}

/** JSON whose keys are sorted at every depth, so that equal contents have equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, content]) => content !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, content]) => `${JSON.stringify(key)}:${canonicalJson(content)}`).join(",")}}`;
}
