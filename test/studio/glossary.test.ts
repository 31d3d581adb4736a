import { describe, expect, it } from "vitest";
import { runs } from "../../src/analysis/notation.js";
import { SOURCE_NAMES, sourceOf } from "../../src/datasets/sources.js";
import { type Entry, GLOSSARY } from "../../src/studio/page/glossary.js";
import { withVariables } from "../../src/studio/page/views/data/equation.js";

/** What stands on the screen as it was typed, and should not. */
const unset = (text: string) => runs(text).some(({ text: part }) => /[_^$]|\|\|/.test(part));

describe("the glossary of the page", () => {
  it("says every word in one sentence, with a formula that is set as mathematics", () => {
    expect(Object.keys(GLOSSARY).length).toBeGreaterThan(60);
    for (const [name, { label, meaning, formula }] of Object.entries<Entry>(GLOSSARY)) {
      expect(meaning, name).toMatch(/^[^a-z].*[.]$/);
      expect([label, meaning, formula ?? ""].filter(unset), name).toEqual([]);
    }
  });
});

describe("the equation of a task", () => {
  it("has variables in italics, and no sign that is not set", () => {
    for (const name of SOURCE_NAMES) expect(unset(withVariables(sourceOf(name).equation)), name).toBe(false);
    expect(withVariables("(u, v) -> u(x): flow past a cylinder, a grad u_x")).toBe(
      "($u$, $v$) -> $u$($x$): flow past a cylinder, $a$ grad u_x",
    );
  });
});
