import { FileError, OptionError } from "../../../errors.js";
import type { Answer, Route } from "../route.js";
import { loadContent } from "../studies/load-content.js";

/** A figure of the report as a file: SVG, or PNG and PDF made from it. */
export const studyFigureRoute: Route = {
  method: "GET",
  path: "study/figure",
  answer: async (question, context) => {
    const { query } = question;
    const content = await loadContent(question, context);
    const name = query.get("name");
    for (let place = 0; ; place++) {
      const figure = await content.figure(place);
      if (!figure) throw new FileError(`the report has no figure ${JSON.stringify(name)}`);
      if (figure.name === name) return fileOf(figure.svg, query.get("format") ?? "svg");
    }
  },
};

async function fileOf(svg: string, format: string): Promise<Answer> {
  switch (format) {
    case "svg":
      return { bytes: new TextEncoder().encode(svg), type: "image/svg+xml" };
    case "png":
      return { bytes: (await import("../../../figures/raster.js")).toPng(svg), type: "image/png" };
    case "pdf":
      return { bytes: await (await import("../../../figures/pdf.js")).toPdf(svg), type: "application/pdf" };
    default:
      throw new OptionError(`a figure is made as svg, png or pdf, not ${JSON.stringify(format)}`);
  }
}
