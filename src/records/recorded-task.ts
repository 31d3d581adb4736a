/** Whether a file is one of `generate`. */
export const isSimulated = ({ origin }: { readonly origin: string }): boolean =>
  origin.startsWith("simulated");

/** A file of data, as far as its name in records depends on it; data of a user's own say which array has the responses. */
interface NamedData {
  readonly origin: string;
  readonly responses?: unknown;
}

/** The name of data in records: imported data of a task are never taken for simulated ones. */
export const recordedTask = ({
  task,
  data,
}: {
  readonly task: string;
  readonly data?: NamedData | null;
}): string => (data && !isSimulated(data) && data.responses === undefined ? `imported-${task}` : task);
