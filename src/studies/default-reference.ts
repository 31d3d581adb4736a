/** Concentration of the near-IID reference, unless a study says otherwise. */
export const DEFAULT_REFERENCE = 100;
