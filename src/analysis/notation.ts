/**
 * Mathematics written in plain text, "D_sol = 0.45" or "H_g^norm", and how to set it: italic variables, upright
 * subscripts. One notation for figures, Markdown, HTML and LaTeX. What stands between backticks is text, as in Markdown.
 */
export interface Run {
  readonly text: string;
  readonly italic: boolean;
  /** Whether it is somebody's own text, such as the name of a file. */
  readonly verbatim?: true;
  readonly script?: "sub" | "super";
}

const SCRIPT = String.raw`(?:\{[^}]*\}|[\p{L}\p{N}.]*[\p{L}\p{N}]+)`;
const MATHEMATICS = new RegExp(
  [
    "`(?<verbatim>[^`]*)`",
    String.raw`\$(?<marked>\p{L}+)\$`,
    String.raw`(?<=[\p{L}\p{N}])_(?<sub>${SCRIPT})`,
    String.raw`(?<=[\p{L}\p{N}}])\^(?<super>${SCRIPT})`,
    String.raw`(?<![\p{L}\p{N}])(?<variable>Δ?\p{Script=Greek}(?![\p{L}\p{Nd}])|Δ\p{L}(?![\p{L}\p{Nd}])|\p{L}(?=_|\s*=))`,
  ].join("|"),
  "gu",
);

/**
 * Sets mathematics as print does: in "D_sol = 0.45" the D is a variable, hence italic, and sol an upright
 * subscript. A letter by itself is a variable where it is Greek, has or is a subscript, or stands before an
 * equals sign; elsewhere dollars mark it, as in "depth $h$".
 */
export function runs(text: string): Run[] {
  const found: Run[] = [];
  let end = 0;
  for (const match of text.matchAll(MATHEMATICS)) {
    if (match.index > end) found.push({ text: text.slice(end, match.index), italic: false });
    const { sub, super: raised, variable, marked, verbatim } = match.groups!;
    const script = (sub ?? raised)?.replace(/[{}]/g, "");
    if (verbatim !== undefined) found.push({ text: verbatim, italic: false, verbatim: true });
    else if (script === undefined) found.push({ text: variable ?? marked, italic: true });
    else
      found.push({
        text: script,
        italic: /^\p{L}$/u.test(script),
        script: sub === undefined ? "super" : "sub",
      });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ text: text.slice(end), italic: false });
  return found;
}

/** Somebody's own text, such as the name of a file: none of its signs means mathematics. */
export function verbatim(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

/** The text without the marks of {@link verbatim}, where nothing is set: in CSV, or for screen readers. */
export function unmarked(text: string): string {
  return text.replaceAll("`", "");
}

/** The text as HTML. */
export function notationHtml(text: string): string {
  return runs(text)
    .map(({ text: part, italic, script, verbatim: isVerbatim }) => {
      if (isVerbatim) return `<code>${escapeHtml(part)}</code>`;
      const inner = italic ? `<i>${escapeHtml(part)}</i>` : escapeHtml(part);
      return script === undefined ? inner : script === "sub" ? `<sub>${inner}</sub>` : `<sup>${inner}</sup>`;
    })
    .join("")
    .replace(/(?<=<\/i>) = /g, "\u00a0=\u00a0"); // a line does not end within "α = 100"
}

/** The text as LaTeX, its mathematics between dollars. */
export function notationLatex(text: string): string {
  return runs(text)
    .map(({ text: part, italic, script, verbatim: isVerbatim }) => {
      if (isVerbatim) return `\\texttt{${escapeLatex(part)}}`;
      if (script === undefined) return italic ? `$${latexSigns(part)}$` : escapeLatex(part);
      const inner = italic ? latexSigns(part) : `\\mathrm{${latexSigns(part)}}`;
      return `$${script === "sub" ? "_" : "^"}{${inner}}$`;
    })
    .join("")
    .replace(/(?<!\\)\$\$/g, ""); // what stands beside each other is one formula
}

export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
  };
  return text.replace(/[&<>"]/g, (sign) => entities[sign]);
}

const LATEX_TEXT: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "−": "$-$",
  "–": "--",
  "×": "$\\times$",
  "≥": "$\\geq$",
  "≤": "$\\leq$",
  "<": "$<$",
  ">": "$>$",
};

/** Plain text with what LaTeX would take for commands escaped. */
export function escapeLatex(text: string): string {
  return text.replace(/[\\~^−–×≥≤<>#$%&_{}]/g, (sign) => LATEX_TEXT[sign] ?? `\\${sign}`);
}

const LATEX_LETTERS: Readonly<Record<string, string>> = {
  α: "\\alpha",
  Δ: "\\Delta ",
  ε: "\\varepsilon",
  θ: "\\theta",
  κ: "\\kappa",
  ν: "\\nu",
  ρ: "\\rho",
};

function latexSigns(text: string): string {
  return text.replace(/\p{Script=Greek}/gu, (letter) => LATEX_LETTERS[letter] ?? letter);
}
