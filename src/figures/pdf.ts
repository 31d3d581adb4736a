import PDFDocument from "pdfkit";
import SVGtoPDF from "svg-to-pdfkit";
import { DataError } from "../errors.js";
import { FACES, type Face, fontFile } from "./font-files.js";

const POINTS_A_PIXEL = 72 / 96;

/** A fixed creation date makes the bytes reproducible. */
const CREATED = new Date(0);

/**
 * Renders an SVG figure as PDF at print size. Lines stay vectors and text stays text, in embedded font subsets. The
 * same figure always gives the same bytes.
 */
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
