import { FormatError } from "../errors.js";
import { canonicalJson, sha256 } from "./content-hash.js";

/**
 * SHA-256 of what a JSON document says, apart from its own field `sha256`, which holds it. The layout of the text and the
 * order of keys do not matter.
 */
export function ownDigest(document: object): Promise<string> {
  const { sha256: _, ...rest } = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
  return sha256(new TextEncoder().encode(canonicalJson(rest)));
}

/**
 * Refuses a document that does not say what was written. Documents of earlier layouts have no digest; the others must.
 *
 * @param mend what to do about it
 */
export async function checkOwnDigest(
  document: object,
  { name, required, mend }: { readonly name: string; readonly required: boolean; readonly mend: string },
): Promise<void> {
  const { sha256: stated } = document as { sha256?: unknown };
  if (stated === undefined && !required) return;
  if (stated !== (await ownDigest(document)))
    throw new FormatError(`${name} is damaged or was edited (wrong sha256): ${mend}`);
}
