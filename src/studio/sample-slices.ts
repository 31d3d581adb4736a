/** Planes through volumes as the address has them, `z=16,y=3`: numbers of points by the names of axes. */
export function slicesIn(text: string): Readonly<Record<string, number>> {
  const pairs = text.split(",").flatMap((part) => {
    const [, axis, at] = /^\s*(.+?)=(\d+)\s*$/.exec(part) ?? [];
    return axis === undefined ? [] : [[axis, Number(at)] as const];
  });
  return Object.fromEntries(pairs);
}

/** The same planes as text. */
export const slicesText = (slices: Readonly<Record<string, number>>): string =>
  Object.entries(slices)
    .map(([axis, at]) => `${axis}=${at}`)
    .join(",");
