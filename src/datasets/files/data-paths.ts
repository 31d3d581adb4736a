import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { FileError, OptionError } from "../../errors.js";
import { filesInWords } from "./data-in-words.js";

/**
 * Files that a user names: one path, several with commas between them, or a pattern such as `runs/*.h5`, whose files come
 * in the order of their names (2 before 10). A path that exists is taken as it is.
 */
export function dataPaths(text: string): readonly string[] {
  if (existsSync(text) || !/[,*?]/.test(text)) return [text];
  const parts = text.split(",").map((part) => part.trim());
  if (parts.includes("")) throw new OptionError(`"${text}" has nothing between two commas`);
  const paths = parts.flatMap((part) => (existsSync(part) || !/[*?]/.test(part) ? [part] : matching(part)));
  const whole = paths.map((path) => resolve(path));
  const twice = paths.find((_, i) => whole.indexOf(whole[i]) !== i);
  if (twice !== undefined) throw new OptionError(`${twice} is named twice in ${text}`);
  return paths;
}

/** Files of a folder whose names match; `*` stands for any letters and `?` for one. Hidden files are left out, as in a shell. */
function matching(pattern: string): string[] {
  const [folder, name] = [dirname(pattern), basename(pattern)];
  if (/[*?]/.test(folder))
    throw new OptionError(`${pattern}: only the name of a file may hold * and ?, not its folder`);
  const letters = name
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const wanted = new RegExp(`^${letters}$`);
  const isHidden = (one: string) => one.startsWith(".") && !name.startsWith(".");
  const present = existsSync(folder) ? readdirSync(folder) : [];
  const names = present.filter((one) => wanted.test(one) && !isHidden(one));
  if (names.length === 0) throw new FileError(`no file matches ${pattern}`);
  const inOrder = new Intl.Collator("en", { numeric: true });
  return names.sort(inOrder.compare).map((one) => join(folder, one));
}

/** Names of the files that a user names, for a sentence. */
export const fileNames = (text: string): string => filesInWords(dataPaths(text));
