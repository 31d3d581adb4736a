import type { ComponentChildren } from "preact";
import { type Loadable, presentOf } from "../loadable.js";

interface StatusProps<T> {
  readonly of: Loadable<T>;
  /** What to say where there is nothing yet. */
  readonly empty: ComponentChildren;
  readonly children: (value: T, isStale: boolean) => ComponentChildren;
}

/** What was loaded, or what there is to say in its place. While something new loads, the old value stays to be seen. */
export function Status<T>({ of, empty, children }: StatusProps<T>) {
  const value = presentOf(of);
  return (
    <>
      {of.kind === "loading" && <Progress words={of.words} done={of.done} isQuiet={value !== undefined} />}
      {of.kind === "failed" && (
        <p class="notice failed" role="alert">
          {of.message}
        </p>
      )}
      {of.kind === "empty" && <p class="notice">{empty}</p>}
      {value !== undefined && children(value, of.kind === "loading")}
    </>
  );
}

interface ProgressProps {
  readonly words: string;
  readonly done?: number;
  /** Whether something else is on show meanwhile: then nothing moves. */
  readonly isQuiet?: boolean;
}

/** How far something has come, from 0 to 1 where that is known. */
export function Progress({ words, done, isQuiet = false }: ProgressProps) {
  if (isQuiet) return null;
  const percent = done === undefined ? undefined : Math.round(100 * done);
  return (
    <div role="status">
      <p class="faint">
        {words}
        {percent !== undefined && `, ${percent} %`}
      </p>
      <div class="progress" role="progressbar" aria-label={words} aria-valuenow={percent}>
        <i style={{ width: `${percent ?? 100}%` }} />
      </div>
    </div>
  );
}
