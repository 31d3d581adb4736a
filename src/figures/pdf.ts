import PDFDocument from "pdfkit";
import SVGtoPDF from "svg-to-pdfkit";
import { DataError } from "../errors.js";
import { FACES, type Face, fontFile } from "./font-files.js";

const POINTS_A_PIXEL = 72 / 96;

/**
 * A figure as PDF of its true size in print: vectors, and text that stays text, in embedded subsets of the fonts. The
 * same figure gives the same bytes, so there is no date in it but this one.
 */
const CREATED = new Date(0);

export async function toPdf(svg: string): Promise<Uint8Array> {
  const width = measure(svg, "width") * POINTS_A_PIXEL;
  const height = measure(svg, "height") * POINTS_A_PIXEL;
  const title = svg.match(/<title>(.*?)<\/title>/)?.[1] ?? "";
  const document = new PDFDocument({
    size: [width, height],
    margin: 0,
    info: { Title: plain(title), Creator: "pde-dirichlet", CreationDate: CREATED },
  });
  for (const face of FACES) document.registerFont(face, fontFile(face));
  const chunks: Uint8Array[] = [];
  document.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    document.on("end", resolve);
    document.on("error", reject);
  });
  // The types of svg-to-pdfkit take the class where the function takes a document.
  SVGtoPDF(document as unknown as typeof PDFDocument, svg, 0, 0, {
    width,
    height,
    fontCallback: (_, bold, italic) => faceOf(bold, italic),
  });
  document.end();
  await ended;
  return new Uint8Array(Buffer.concat(chunks));
}

function faceOf(bold: boolean, italic: boolean): Face {
  return `${bold ? "600SemiBold" : "400Regular"}${italic ? "_Italic" : ""}`;
}

function measure(svg: string, side: "width" | "height"): number {
  const found = svg.match(new RegExp(`<svg\\b[^>]*\\s${side}="([\\d.]+)"`));
  if (!found) throw new DataError(`a figure without a ${side} has no size in print`);
  return Number(found[1]);
}

function plain(xml: string): string {
  const signs: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };
  return xml.replace(/&(?:lt|gt|quot|amp);/g, (entity) => signs[entity]);
}
