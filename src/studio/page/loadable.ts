/** Something that takes a while: what a part of the page shows is decided by its kind. */
export type Loadable<T> =
  | { readonly kind: "empty" }
  /** `done` from 0 to 1, where it is known. `before` is what was there until now. */
  | { readonly kind: "loading"; readonly words: string; readonly done?: number; readonly before?: T }
  | { readonly kind: "ready"; readonly value: T }
  | { readonly kind: "failed"; readonly message: string };

export const EMPTY = { kind: "empty" } as const;

/** The value, or the one that was there before the present loading began. */
export const presentOf = <T>(loadable: Loadable<T>): T | undefined =>
  loadable.kind === "ready" ? loadable.value : loadable.kind === "loading" ? loadable.before : undefined;

/** An error as one line. Errors from a worker arrive as plain ones. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
