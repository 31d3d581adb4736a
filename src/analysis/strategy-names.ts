import type { Settings } from "../records/settings.js";

/** The strategy of runs whose records name none. */
const USUAL = "fedavg";

/** Strategies as papers call them, in the order in which a report shows them. */
const TITLES: Readonly<Record<string, string>> = {
  [USUAL]: "FedAvg",
  fedprox: "FedProx",
  scaffold: "SCAFFOLD",
  fednova: "FedNova",
  fedavgm: "FedAvgM",
  fedadagrad: "FedAdagrad",
  fedadam: "FedAdam",
  fedyogi: "FedYogi",
  ditto: "Ditto",
  "local-only": "local only",
  centralised: "centralised",
};
const ORDER = Object.keys(TITLES);

/** The recorded name of the strategy that runs were trained with. */
export const strategyOf = ({ strategy = USUAL }: Settings): string => String(strategy);

/** How papers call a strategy: "SCAFFOLD"; undefined for one that nobody has named here. */
export const strategyTitle = (name: string): string | undefined =>
  Object.hasOwn(TITLES, name) ? TITLES[name] : undefined;

/** Its place among the others; those without a title come last. */
export function strategyRank(name: string): number {
  const place = ORDER.indexOf(name);
  return place < 0 ? ORDER.length : place;
}

/**
 * Settings that are options of strategies: some of the given runs lack them, and runs of one strategy either all have
 * them or all lack them. They tell strategies apart, and are no axis of their own.
 */
export function strategyOptions(all: readonly Settings[]): readonly string[] {
  const strategies = new Set(all.map(strategyOf));
  if (strategies.size < 2) return [];
  const names = [...new Set(all.flatMap((settings) => Object.keys(settings)))];
  return names.filter((name) => {
    if (name === "strategy" || all.every((settings) => name in settings)) return false;
    return [...strategies].every((strategy) => {
      const own = all.filter((settings) => strategyOf(settings) === strategy);
      return own.every((settings) => name in settings === name in own[0]);
    });
  });
}
