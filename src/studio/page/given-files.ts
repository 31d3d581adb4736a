import { signal } from "@preact/signals";
import type { GivenFile, GivenFiles } from "../lab/files/given-files.js";
import { addressOfRoute, ask } from "./server-api.js";

/** Files that a person gave to this page. An address cannot hold them. */
export const ownFiles = signal<readonly File[]>([]);

/** Whether a server stands behind the page: without one there are built-in tasks and the visitor's own files. */
export const hasServer =
  document.querySelector<HTMLMetaElement>('meta[name="pde-dirichlet-studio"]')?.content === "server";

/** A file of data on the server. */
export interface ListedFile {
  readonly path: string;
  readonly size: number;
  readonly modified: number;
}

/** Files of data below the folder that is open, and the one with this path. */
export const listedFiles = async (path?: string): Promise<readonly ListedFile[]> =>
  (await ask<{ readonly files: readonly ListedFile[] }>("files", path === undefined ? {} : { path })).files;

/**
 * The files that a setting names, with all others that were given: a reading may name a file of inputs or of test samples.
 * Refuses a name that neither this page nor the server has.
 */
export async function givenFiles(text: string): Promise<GivenFiles> {
  const own = ownFiles.value.map((file): GivenFile => ({ kind: "own", name: file.name, file }));
  const isOwn = (name: string) => own.some((one) => one.name === name);
  if (isOwn(text) || (own.length > 0 && text.split(",").every((part) => isOwn(part.trim()))))
    return { text, files: own };
  if (!hasServer) throw new Error(missing(text));
  const isOne = !/[,*?]/.test(text);
  const listed = await listedFiles(isOne ? text : undefined).catch((error: Error) => {
    throw new Error(`${error.message}. ${missing(text)}`);
  });
  if (isOne && !listed.some(({ path }) => path === text)) throw new Error(missing(text));
  const files = listed
    .filter(({ path }) => !isOwn(path))
    .map(
      ({ path, size, modified }): GivenFile => ({
        ...{ kind: "server", name: path, size, modified },
        address: new URL(addressOfRoute("bytes", { path }), document.baseURI).href,
      }),
    );
  return { text, files: [...own, ...files] };
}

const missing = (text: string): string =>
  `The address of this page names ${text}, which is not open here: drop that file on the page, or choose it.`;

/** Names of arrays that are rather responses than inputs, where two files of one array each are given. */
const RESPONSES = /^(y|u|out|resp|sol|label|target|model)/i;

/** What a person means who gives files: one, several as one dataset, or inputs beside responses. */
export function meantBy(files: readonly Pick<File, "name">[]): {
  readonly file: string;
  readonly reading: Readonly<Record<string, string>>;
} {
  const names = files.map(({ name }) => name);
  const areArrays = names.length === 2 && names.every((name) => /\.npy$/i.test(name));
  if (!areArrays) return { file: names.join(","), reading: {} };
  const responses = names.find((name) => RESPONSES.test(name)) ?? names[1];
  return { file: responses, reading: { inputs: names.find((name) => name !== responses)! } };
}
