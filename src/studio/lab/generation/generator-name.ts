/** The name of a worker that is no lab, but a thread that makes samples for one. */
export const GENERATOR = "generator";
