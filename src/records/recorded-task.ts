/** Whether a file is one of `generate`. */
export const isSimulated = ({ origin }: { readonly origin: string }): boolean =>
  origin.startsWith("simulated");

/** A task's name in records: imported data are never taken for simulated ones. */
export const recordedTask = ({
  task,
  data,
}: {
  readonly task: string;
  readonly data?: { readonly origin: string } | null;
}): string => (data && !isSimulated(data) ? `imported-${task}` : task);
