import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Work } from "../../federation/run-demand.js";
import { fileError } from "../../files/disk.js";

/** Written by bench/round-costs.mjs; the same path from `src` and from `dist`. */
const FILE = new URL("../../../studies/measured-rounds.json", import.meta.url);

const workSchema = { products: z.number(), numbers: z.number(), operations: z.number() };
const deviceSchema = z.object({
  /** Where the rounds were measured. */
  hardware: z.string(),
  /** Milliseconds that a product, a number and an operation take in the mean. */
  weights: z.object(workSchema),
  rounds: z.array(z.object({ case: z.string(), model: z.string(), ...workSchema, milliseconds: z.number() })),
});
const fileSchema = z.object({ devices: z.object({ cpu: deviceSchema, cuda: deviceSchema }) });

/** Rounds that were measured on a kind of device. */
export type MeasuredRounds = z.infer<typeof deviceSchema>;

export async function measuredRounds(device: "cpu" | "cuda"): Promise<MeasuredRounds> {
  const text = await readFile(FILE, "utf8").catch((error) => {
    throw fileError(error, FILE.pathname, "read");
  });
  return fileSchema.parse(JSON.parse(text)).devices[device];
}

/**
 * Milliseconds of a round that computes so much: what weights make of it, times what the measured round of the same model
 * that comes closest in size took beside what the weights make of that one.
 */
export function roundMilliseconds({ weights, rounds }: MeasuredRounds, model: string, work: Work): number {
  const cost = (one: Work) =>
    one.products * weights.products + one.numbers * weights.numbers + one.operations * weights.operations;
  const own = cost(work);
  const alike = rounds.filter((round) => round.model === model);
  const distance = (round: Work) => Math.abs(Math.log(cost(round) / own));
  const nearest = (alike.length > 0 ? alike : rounds).reduce((best, round) =>
    distance(round) < distance(best) ? round : best,
  );
  return own * (nearest.milliseconds / cost(nearest));
}
