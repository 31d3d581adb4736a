/** Seconds in the unit that fits: `12 min`, `3.4 h`, `5.1 days`. */
export function longDuration(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 72 * 3600) return `${(seconds / 3600).toPrecision(2)} h`;
  return `${(seconds / 86_400).toPrecision(2)} days`;
}

/** Bytes in the unit that fits: `450 MB`, `1.2 GB`, `3.4 TB`. */
export function largeBytes(bytes: number): string {
  for (const [unit, size] of [
    ["TB", 1e12],
    ["GB", 1e9],
    ["MB", 1e6],
  ] as const)
    if (bytes >= size) return `${(bytes / size).toPrecision(bytes >= 100 * size ? 3 : 2)} ${unit}`;
  return `${Math.ceil(bytes / 1e3)} kB`;
}
