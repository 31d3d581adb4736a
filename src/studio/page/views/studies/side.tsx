import { lazyPart } from "./lazy-part.js";

/** What can be set in this view. */
export const StudiesSide = lazyPart(async () => (await import("./study-side.js")).StudySide);
