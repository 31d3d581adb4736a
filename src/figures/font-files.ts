import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The four faces that figures use, by weight and slant. */
export const FACES = ["400Regular", "400Regular_Italic", "600SemiBold", "600SemiBold_Italic"] as const;
export type Face = (typeof FACES)[number];

/** Path of a face's TrueType file; the fonts come along, so that a figure looks the same on every machine. */
export function fontFile(face: Face): string {
  return require.resolve(`@expo-google-fonts/inter/${face}/Inter_${face}.ttf`);
}
