import { parseHTML } from "linkedom/worker";

let standIn: Document | undefined;

/**
 * The document that figures are drawn in: the page's own in a browser, elsewhere linkedom's. (Its worker
 * build: one plain file that asks for no canvas, so a page or a web worker can load it as well.)
 */
export function figureDocument(): Document {
  if (typeof document !== "undefined") return document;
  standIn ??= parseHTML("<!doctype html><html></html>").document as unknown as Document;
  return standIn;
}
