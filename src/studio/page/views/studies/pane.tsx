import { lazyPart } from "./lazy-part.js";

/** Results and progress of a study. They are loaded when somebody looks at them first. */
export const StudiesPane = lazyPart(async () => (await import("./study-pane.js")).StudyPane);
