import { type ClientMeasurements, clientColumns } from "../records/client-columns.js";

/** Clients, and bins, of a run above which single ones are not logged: trackers become slow, and nobody reads so many. */
export const MOST_SINGLE = 32;

/** What a journal says of a checkpoint, as far as trackers use it. */
export interface MeasuredLine {
  readonly round: number;
  readonly test_error: number;
  readonly train_loss?: number | null;
  readonly h_g_norm?: number | null;
  readonly d_loc?: number | null;
  readonly clients?: Partial<ClientMeasurements>;
  readonly bins?: { readonly test_error?: readonly (number | null)[] };
}

/**
 * Metrics of a checkpoint by name; what is unknown is left out. `client_...` and `bin_...` are of single ones, and
 * lists of more than `MOST_SINGLE` are left to their means.
 *
 * @param perRound bytes that all participants of a round receive and send
 */
export function checkpointMetrics(line: MeasuredLine, perRound?: number): Record<string, number> {
  const { round, test_error, train_loss, h_g_norm, d_loc, clients, bins } = line;
  const updates = clients?.update?.filter((update) => update !== null);
  return finite({
    test_error,
    train_loss,
    d_loc,
    h_g_norm,
    ...clientColumns(clients),
    participants: round > 0 ? updates?.length : undefined,
    communication_total: perRound === undefined ? undefined : perRound * round,
    ...single("client_test_error", clients?.test_error),
    ...single("client_train_loss", clients?.train_loss),
    ...single("client_update", clients?.update),
    ...single("client_cosine", clients?.cosine),
    ...single("bin_test_error", bins?.test_error),
  });
}

/** `client_test_error/3`: trackers group names by what stands before the slash. */
function single(name: string, values: readonly (number | null)[] = []): Record<string, number | null> {
  if (values.length > MOST_SINGLE) return {};
  return Object.fromEntries(values.map((value, i) => [`${name}/${i}`, value]));
}

/** The metrics that are numbers. */
export function finite(metrics: Readonly<Record<string, number | null | undefined>>): Record<string, number> {
  const entries = Object.entries(metrics);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => Number.isFinite(entry[1] ?? Number.NaN)),
  );
}
