/** A file that the page was given, or one on the server behind it. */
export type GivenFile =
  | { readonly kind: "own"; readonly name: string; readonly file: File }
  | {
      readonly kind: "server";
      /** Path below the folder that is open. */
      readonly name: string;
      readonly size: number;
      /** When it was written last, in milliseconds since 1970. */
      readonly modified: number;
      /** Address that answers with bytes of the file, where `from` and `to` are added to it. */
      readonly address: string;
    };

/** The files of one dataset, and what the command line would name: `a.h5`, `run-*.h5`, `a.h5,b.h5`. */
export interface GivenFiles {
  readonly text: string;
  readonly files: readonly GivenFile[];
}
