/** Ways of choosing the participants of a round; `samplers.ts` has them. */
export const SAMPLINGS = ["uniform", "size", "power-of-choice", "stratified"] as const;
export type Sampling = (typeof SAMPLINGS)[number];

/** Those that draw by size: the clients that they draw weigh all alike, since size would count twice. */
export const isDrawnBySize = (sampling: Sampling | undefined): boolean =>
  sampling === "size" || sampling === "power-of-choice";
