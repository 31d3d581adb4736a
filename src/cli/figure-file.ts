import { extname } from "node:path";
import { OptionError } from "../errors.js";

/** Loaded when needed: a mistake is told before. */
const ENCODERS: Readonly<Record<string, (svg: string) => Promise<Uint8Array>>> = {
  ".svg": async (svg) => new TextEncoder().encode(svg),
  ".png": async (svg) => (await import("../figures/raster.js")).toPng(svg),
  ".pdf": async (svg) => (await import("../figures/pdf.js")).toPdf(svg),
};

/** What makes a figure a file of the kind that its ending says; refuses other endings. */
export function figureEncoder(path: string, flag: string): (svg: string) => Promise<Uint8Array> {
  const encode = ENCODERS[extname(path).toLowerCase()];
  if (encode === undefined) throw new OptionError(`${flag} ends in .svg, .png or .pdf, not "${path}"`);
  return encode;
}

/** Whether a path has the ending of a figure. */
export const isFigureFile = (path: string): boolean => Object.hasOwn(ENCODERS, extname(path).toLowerCase());
