import { notationHtml } from "./notation.js";
import { notesOf, type Report } from "./report.js";
import { rowsOf } from "./tables/table.js";

/** A symbol, in the notation of `notation.ts`, and what it stands for. */
export interface SymbolMeaning {
  readonly symbol: string;
  readonly meaning: string;
}

/** Every symbol of reports with what its text looks like once it is set and its mark-up taken away. */
const SYMBOLS: readonly (SymbolMeaning & { readonly looks: RegExp })[] = [
  {
    symbol: "α",
    looks: /α/,
    meaning:
      "concentration of the Dirichlet draw that shares each solution bin among the clients; a large one is near-IID, a small " +
      "one gives each client few bins",
  },
  { symbol: "K", looks: /\bK\s=/, meaning: "number of clients" },
  {
    symbol: "excess error",
    looks: /excess/i,
    meaning:
      "relative test error less that of the reference run with the same seed, in percentage points (pp); positive is worse",
  },
  {
    symbol: "e_{ref}, Δe",
    looks: /100\se(ref|\d)|Δe/,
    meaning:
      "relative L_2 test error of the reference, with its α as the subscript, and the excess error at the α of the subscript",
  },
  {
    symbol: "D_sol",
    looks: /Dsol/,
    meaning:
      "solution distance: mean over pairs of clients of the optimal-transport distance between their histograms over " +
      "solution bins, in multiples of the responses' scale",
  },
  {
    symbol: "W_1",
    looks: /W1/,
    meaning: "input distance: mean over pairs of clients of the Wasserstein distance between their inputs",
  },
  {
    symbol: "CV_n",
    looks: /CVn/,
    meaning: "coefficient of variation of the clients' sizes: standard deviation over mean",
  },
  {
    symbol: "ε_part",
    looks: /εpart/,
    meaning:
      "realisation error: mean over clients of the L_1 distance between the drawn and the realised histogram",
  },
  {
    symbol: "H_g^norm",
    looks: /Hgnorm/,
    meaning:
      "gradient dissimilarity: spread of the clients' gradients about their mean over their square, at the shared start; " +
      "from 0 (all alike) to 1",
  },
  {
    symbol: "D_θ",
    looks: /Dθ/,
    meaning:
      "parameter divergence: distance of the parameters from the reference's, over the norm of the latter",
  },
  { symbol: "ρ_s", looks: /ρs/, meaning: "Spearman's rank correlation" },
  {
    symbol: "Δz",
    looks: /Δz/,
    meaning: "difference of two correlations on Fisher's scale, artanh of one less artanh of the other",
  },
  { symbol: "n", looks: /\bn\s=\s\d/, meaning: "number of seeds or runs that a value is of" },
];

/** The symbols that a report has somewhere, each once. */
export function symbolsOf(report: Report): SymbolMeaning[] {
  const { summary, figures, tables, published } = report;
  const written = [
    ...summary,
    ...figures.flatMap(({ title, caption }) => [title, caption]),
    ...tables.flatMap((table) => [
      table.title,
      table.caption,
      ...table.columns.map(({ heading }) => heading),
      ...rowsOf(table).flatMap((row) => row.map(({ text }) => text)),
    ]),
    ...notesOf(report),
    ...(published?.questions.answers ?? []).flatMap(({ short, sentences }) => [short, ...sentences]),
  ].map(notationHtml);
  const seen = [...written, ...figures.map(({ svg }) => svg)].map((marked) => marked.replace(/<[^>]+>/g, ""));
  return SYMBOLS.filter(({ looks }) => seen.some((text) => looks.test(text))).map(({ symbol, meaning }) => ({
    symbol,
    meaning,
  }));
}
