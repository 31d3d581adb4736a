/** Shows how far long work is: one line that is rewritten on a terminal, a plain line now and then elsewhere. */
export interface Progress {
  /**
   * Reports that `done` of `total` units of whatever kind are finished; `detail` is added to the line. Seconds left are
   * reckoned from that unless the one who reports knows better, or that they cannot be told yet.
   */
  update(
    done: number,
    total: number,
    more?: { readonly left?: number | "unknown"; readonly detail?: string },
  ): void;
  /** Ends the line with what came out. */
  finish(summary: string): void;
}

const PLAIN_INTERVAL_MS = 5000;
const TERMINAL_INTERVAL_MS = 80;

/** Progress of one piece of work on standard error; silent if `quiet`. */
export function startProgress(
  label: string,
  options: { quiet?: boolean; stream?: NodeJS.WriteStream } = {},
): Progress {
  const { quiet = false, stream = process.stderr } = options;
  const terminal = stream.isTTY === true;
  const started = Date.now();
  let shown = started;
  if (!quiet && terminal) stream.write(`${label} ...`);
  return {
    update(done, total, more = {}) {
      const now = Date.now();
      if (quiet || now - shown < (terminal ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS)) return;
      shown = now;
      const elapsed = (now - started) / 1000;
      const seconds = more.left ?? (done > 0 ? (elapsed / done) * (total - done) : undefined);
      const left = seconds === undefined || seconds === "unknown" ? "" : `, ${duration(seconds)} left`;
      const detail = more.detail === undefined ? "" : `, ${more.detail}`;
      const line = `${label}: ${Math.floor((100 * done) / total)} %${detail}${left}`;
      stream.write(terminal ? `\r\x1b[K${line}` : `${line}\n`);
    },
    finish(summary) {
      if (quiet) return;
      const line = `${label}: ${summary} (${duration((Date.now() - started) / 1000)})`;
      stream.write(terminal ? `\r\x1b[K${line}\n` : `${line}\n`);
    },
  };
}

/** Seconds as people read them: `0.4 s`, `12 s`, `3 min 20 s`. */
export function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
