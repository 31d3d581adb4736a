import type { JobName } from "../../schedulers/scheduler.js";

/** Who holds a lock, as the lock's file says. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, in the system's own units, since process numbers are used again; null if unknown. */
  readonly started: string | null;
  /** What tells apart machines and containers of one name; null if unknown, absent in locks of earlier versions. */
  readonly machine?: string | null;
  /** Tells this lock from every other; absent in locks of earlier versions. */
  readonly token?: string;
  /** The job of a cluster that the process belongs to. */
  readonly job?: JobName;
}

export const holderText = (holder: Holder): string => JSON.stringify(holder);

/** Undefined where the text is not that of a lock: its writer was killed as it wrote. */
export function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text);
    return typeof holder?.pid === "number" && typeof holder.host === "string" ? holder : undefined;
  } catch {
    return undefined;
  }
}
