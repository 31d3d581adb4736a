import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { yamlText } from "../../src/studio/equivalent/yaml.js";

describe("YAML that the page writes", () => {
  it("has lists and maps in blocks, and quotes only where they are needed", () => {
    expect(
      yamlText({
        name: "studio",
        data: [
          { file: "a b.h5", responses: "u[:, -1]", train: undefined },
          { task: "burgers", viscosity: 1e-7 },
        ],
        alphas: [100, 0.1],
        federation: { strategy: ["fedavg", { name: "fedprox", mu: 0.01 }], local: [], split: {} },
        title: "yes",
      }),
    ).toBe(
      [
        "name: studio",
        "data:",
        "  - file: a b.h5",
        '    responses: "u[:, -1]"',
        "  - task: burgers",
        "    viscosity: 1e-7",
        "alphas:",
        "  - 100",
        "  - 0.1",
        "federation:",
        "  strategy:",
        "    - fedavg",
        "    - name: fedprox",
        "      mu: 0.01",
        "  local: []",
        "  split: {}",
        'title: "yes"',
        "",
      ].join("\n"),
    );
  });

  it("is read by a full reader as what it was written from", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        "null",
        "1e3",
        "0x1",
        "- a",
        "a: b",
        "a #b",
        "~",
        "on",
        ".inf",
        "1 2",
        "a  b",
        " a",
        "2026-01-01",
      ),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.double({ noNaN: true }).filter((x) => !Object.is(x, -0)),
        fc.boolean(),
        fc.array(tie("tree"), { maxLength: 4 }),
        fc.dictionary(
          text.filter((name) => name !== "__proto__" && name !== "<<"),
          tie("tree"),
          { maxKeys: 4, noNullPrototype: true },
        ),
      ),
    }));
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("a", "name", "x-y"), tree, { noNullPrototype: true }),
        (value) => {
          expect(parse(yamlText(value))).toEqual(value);
        },
      ),
      { numRuns: 500 },
    );
  });
});
