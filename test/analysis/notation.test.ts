import { describe, expect, it } from "vitest";
import {
  escapeLatex,
  notationHtml,
  notationLatex,
  runs,
  unmarked,
  verbatim,
} from "../../src/analysis/notation.js";

describe("runs", () => {
  const marked = (text: string) =>
    runs(text)
      .map((run) =>
        run.script === "super"
          ? `(${run.text})`
          : run.script
            ? `[${run.text}]`
            : run.italic
              ? `*${run.text}*`
              : run.text,
      )
      .join("");

  it.each([
    ["α = 0.1", "*α* = 0.1"],
    ["D_sol = 0.45, CV = 0.31", "*D*[sol] = 0.45, CV = 0.31"],
    ["L_1 error ε_part", "*L*[1] error *ε*[part]"],
    ["CV_n", "CV[n]"],
    ["K = 100, B = 20", "*K* = 100, *B* = 20"],
    ["D_{sol, 2}", "*D*[sol, 2]"],
    ["concentration α", "concentration *α*"],
    ["a plain title of A class", "a plain title of A class"],
    ["file__name_", "file__name_"],
    ["H_g^norm", "*H*[g](norm)"],
    ["100 e_100", "100 *e*[100]"],
    ["Δe_0.01 rises.", "*Δe*[0.01] rises."],
    ["D_θ.", "*D*[θ]."],
    ["at ν = 0.1", "at *ν* = 0.1"],
    ["depth $h$ and $hu$($x$, $t$)", "depth *h* and *hu*(*x*, *t*)"],
    ["η² $E$² H_g", "*η*² *E*² *H*[g]"],
    ["5 $ or 6 $", "5 $ or 6 $"],
  ])("sets %j as %j", (text, expected) => {
    expect(marked(text)).toBe(expected);
  });

  it("sets a subscript of one letter in italics, a word or number upright", () => {
    expect(runs("H_u")[1]).toEqual({ text: "u", italic: true, script: "sub" });
    expect(runs("L_1")[1]).toEqual({ text: "1", italic: false, script: "sub" });
  });
});

describe("notation in other languages", () => {
  it.each([
    ["D_sol", "<i>D</i><sub>sol</sub>", "$D_{\\mathrm{sol}}$"],
    ["H_g^norm", "<i>H</i><sub><i>g</i></sub><sup>norm</sup>", "$H_{g}^{\\mathrm{norm}}$"],
    ["D_θ", "<i>D</i><sub><i>θ</i></sub>", "$D_{\\theta}$"],
    ["100 e_100", "100 <i>e</i><sub>100</sub>", "100 $e_{\\mathrm{100}}$"],
    ["Δe_0.01", "<i>Δe</i><sub>0.01</sub>", "$\\Delta e_{\\mathrm{0.01}}$"],
    ["α = 0.1", "<i>α</i>\u00a0=\u00a00.1", "$\\alpha$ = 0.1"],
    ["u_0($x$)", "<i>u</i><sub>0</sub>(<i>x</i>)", "$u_{\\mathrm{0}}$($x$)"],
    ["[−0.292, 0.751]", "[−0.292, 0.751]", "[$-$0.292, 0.751]"],
    ["R&D < 5 %", "R&amp;D &lt; 5 %", "R\\&D $<$ 5 \\%"],
  ])("writes %j as HTML and LaTeX", (text, html, latex) => {
    expect(notationHtml(text)).toBe(html);
    expect(notationLatex(text)).toBe(latex);
  });

  it("takes text between backticks as it is", () => {
    const name = verbatim("1D_Advection_Sols α = $x$ & <b> `q`.h5");
    expect(runs(`${name}, D_sol`).map(({ text, script }) => [text, script])).toEqual([
      ["1D_Advection_Sols α = $x$ & <b> 'q'.h5", undefined],
      [", ", undefined],
      ["D", undefined],
      ["sol", "sub"],
    ]);
    expect(notationHtml(verbatim("a_b <i>"))).toBe("<code>a_b &lt;i&gt;</code>");
    expect(notationLatex(verbatim("a_b 50%"))).toBe("\\texttt{a\\_b 50\\%}");
    expect(unmarked(verbatim("a_b"))).toBe("a_b");
  });

  it("escapes every sign that LaTeX reads as a command", () => {
    expect(escapeLatex("a_b{c}#$%&~^\\")).toBe(
      "a\\_b\\{c\\}\\#\\$\\%\\&\\textasciitilde{}\\textasciicircum{}\\textbackslash{}",
    );
  });
});
