import { closest } from "./closest-name.js";

const LOCAL = (parameters: string) => `That is fedavg with --local ${parameters}.`;
const MADE_OF = (what: string) => `There is none of this name: ${what}.`;
const ADAPTIVE = "That is fedadagrad, fedadam or fedyogi.";

/** Strategies of other programs by their names without signs, and what does their job here. */
export const FAMILIAR_STRATEGIES: Readonly<Record<string, string>> = {
  average: "That is fedavg.",
  avg: "That is fedavg.",
  fedavgavg: "That is fedavg.",
  fedsgd: MADE_OF("fedavg with --local-steps 1 --optimizer sgd --momentum 0 averages single gradients"),
  localsgd: MADE_OF("fedavg with --optimizer sgd is local SGD"),
  prox: "That is fedprox.",
  adam: "That is fedadam.",
  yogi: "That is fedyogi.",
  adagrad: "That is fedadagrad.",
  nova: "That is fednova.",
  fedopt: ADAPTIVE,
  adaptive: ADAPTIVE,
  fedmom: "That is fedavgm.",
  slowmo: "That is fedavgm, with --client-state reset.",
  fedadamw: MADE_OF("--client-state reset --second-moment average comes near to it"),
  fedper: LOCAL("and the names of the last layers"),
  fedrep: LOCAL("and the names of the last layers"),
  lgfedavg: LOCAL("and the names of the first layers"),
  personalized: "Take ditto, or --local for parameters that stay with clients.",
  personalised: "Take ditto, or --local for parameters that stay with clients.",
  d2no: LOCAL("'branch.*'"),
  modno: LOCAL("'trunk.*'"),
  fedbn: MADE_OF("no model here has batch normalisation"),
  local: "That is local-only.",
  standalone: "That is local-only.",
  isolated: "That is local-only.",
  central: "That is centralised.",
  centralized: "That is centralised.",
  pooled: "That is centralised.",
  feddyn: MADE_OF("scaffold corrects the same drift"),
};

/** What may have been meant by a strategy that is none of these, as a sentence; empty if that would be a wild guess. */
export function suggestStrategy(given: string, names: readonly string[]): string {
  const wanted = given.toLowerCase().replace(/[^a-z0-9]/g, "");
  if (Object.hasOwn(FAMILIAR_STRATEGIES, wanted)) return FAMILIAR_STRATEGIES[wanted];
  const spelt = names.find((name) => name.replace("-", "") === wanted) ?? closest(wanted, names);
  return spelt === undefined ? "" : `Did you mean ${spelt}?`;
}
