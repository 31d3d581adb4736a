import { FileError, OptionError } from "../../errors.js";
import type { FileStore } from "../../files/store/file-store.js";
import { filesInWords } from "./data-in-words.js";

/**
 * Files that a user names: one path, several with commas between them, or a pattern such as `runs/*.h5`, whose files come
 * in the order of their names (2 before 10). A path that exists is taken as it is.
 */
export function dataPaths(store: FileStore, text: string): readonly string[] {
  if (store.exists(text) || !/[,*?]/.test(text)) return [text];
  const parts = text.split(",").map((part) => part.trim());
  if (parts.includes("")) throw new OptionError(`"${text}" has nothing between two commas`);
  const paths = parts.flatMap((part) =>
    store.exists(part) || !/[*?]/.test(part) ? [part] : matching(store, part),
  );
  const whole = paths.map((path) => store.paths.resolve(path));
  const twice = paths.find((_, i) => whole.indexOf(whole[i]) !== i);
  if (twice !== undefined) throw new OptionError(`${twice} is named twice in ${text}`);
  return paths;
}

/** Files of a folder whose names match; `*` stands for any letters and `?` for one. Hidden files are left out, as in a shell. */
function matching({ paths, namesIn }: FileStore, pattern: string): string[] {
  const [folder, name] = [paths.dirname(pattern), paths.basename(pattern)];
  if (/[*?]/.test(folder))
    throw new OptionError(`${pattern}: only the name of a file may hold * and ?, not its folder`);
  const letters = name
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const wanted = new RegExp(`^${letters}$`);
  const isHidden = (one: string) => one.startsWith(".") && !name.startsWith(".");
  const names = namesIn(folder).filter((one) => wanted.test(one) && !isHidden(one));
  if (names.length === 0) throw new FileError(`no file matches ${pattern}`);
  const inOrder = new Intl.Collator("en", { numeric: true });
  return names.sort(inOrder.compare).map((one) => paths.join(folder, one));
}

/** Names of the files that a user names, for a sentence. */
export const fileNames = (store: FileStore, text: string): string => filesInWords(dataPaths(store, text));
