/** Numbers of tasks as sbatch takes them: `1-3,5,9-12`. */
export function taskRanges(tasks: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const task of [...tasks].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && task === last[1] + 1) last[1] = task;
    else ranges.push([task, task]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}
