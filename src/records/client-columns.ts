import type { JournalLine } from "./journal.js";

/** What is measured of single clients at a checkpoint, one number a client; null is what cannot be told. */
export type ClientMeasurements = NonNullable<JournalLine["clients"]>;

/** What columns summarise over clients, and which client is the worst. */
const MEASURES = {
  error: { of: "test_error", worst: Math.max },
  loss: { of: "train_loss", worst: Math.max },
  update: { of: "update", worst: Math.max },
  cosine: { of: "cosine", worst: Math.min },
} as const satisfies Record<
  string,
  { readonly of: keyof ClientMeasurements; readonly worst: (...values: number[]) => number }
>;
const PARTS = ["mean", "worst", "spread"] as const;

/** `client_error_mean`, `client_cosine_worst`, ... */
export type ClientColumn = `client_${keyof typeof MEASURES}_${(typeof PARTS)[number]}`;
export type ClientColumns = Readonly<Record<ClientColumn, number>>;

/** In the order of the table. */
export const CLIENT_COLUMNS: readonly ClientColumn[] = Object.keys(MEASURES).flatMap((measure) =>
  PARTS.map((part) => `client_${measure as keyof typeof MEASURES}_${part}` as const),
);

/** How clients differ: mean, worst, and the standard deviation of a sample, over clients whose number is known. */
export function clientColumns(clients: Partial<ClientMeasurements> = {}): ClientColumns {
  const entries = Object.entries(MEASURES).flatMap(([measure, { of, worst }]) => {
    const known = (clients[of] ?? []).filter((value) => value !== null);
    const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
    const square = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return [
      [`client_${measure}_mean`, mean],
      [`client_${measure}_worst`, known.length > 0 ? worst(...known) : NaN],
      [`client_${measure}_spread`, known.length > 1 ? Math.sqrt(square / (known.length - 1)) : NaN],
    ];
  });
  return Object.fromEntries(entries);
}
