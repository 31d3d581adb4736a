import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { FileError, OptionError } from "../errors.js";

/**
 * Files that a user names: one path, several with commas between them, or a pattern such as `runs/*.h5`, whose files come
 * in the order of their names (2 before 10). A path that exists is taken as it is.
 */
export function dataPaths(text: string): readonly string[] {
  if (existsSync(text) || !/[,*?]/.test(text)) return [text];
  const paths = text
    .split(",")
    .map((part) => part.trim())
    .flatMap((part) => (existsSync(part) || !/[*?]/.test(part) ? [part] : matching(part)));
  const twice = paths.find((path, i) => paths.indexOf(path) !== i);
  if (twice !== undefined) throw new OptionError(`${twice} is named twice in ${text}`);
  if (paths.some((path) => path === "")) throw new OptionError(`"${text}" has nothing between two commas`);
  return paths;
}

/** Files of a folder whose names match; `*` stands for any letters and `?` for one. */
function matching(pattern: string): string[] {
  const [folder, name] = [dirname(pattern), basename(pattern)];
  if (/[*?]/.test(folder))
    throw new OptionError(`${pattern}: only the name of a file may hold * and ?, not its folder`);
  const letters = name
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const wanted = new RegExp(`^${letters}$`);
  const names = existsSync(folder) ? readdirSync(folder).filter((one) => wanted.test(one)) : [];
  if (names.length === 0) throw new FileError(`no file matches ${pattern}`);
  const inOrder = new Intl.Collator("en", { numeric: true });
  return names.sort(inOrder.compare).map((one) => join(folder, one));
}
