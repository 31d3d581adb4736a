import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type TaskName, taskOf } from "../../src/datasets/tasks.js";
import { studyText } from "../../src/studies/built-in.js";
import { readSpecification } from "../../src/studies/read-specification.js";

const ROOT = join(import.meta.dirname, "../..");
const read = (page: string) => readFileSync(join(ROOT, page), "utf8");

/** A title as GitHub links to it. */
const anchor = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

describe("the documents", () => {
  const pages = [
    ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/results/navier-stokes.md"],
    ...["flower", "navier-stokes", "descriptors"].map((name) => `examples/${name}/README.md`),
    ...readdirSync(join(ROOT, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
    ...readdirSync(join(ROOT, "docs/decisions")).map((name) => `docs/decisions/${name}`),
  ];
  it.each(pages)("link to pages and sections that there are: %s", (page) => {
    for (const [, path, section] of read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)) {
      const target = join(page, "..", path);
      expect(existsSync(join(ROOT, target)), path).toBe(true);
      if (section === undefined) continue;
      const titles = [...read(target).matchAll(/^#+ (.*)$/gm)].map(([, title]) => anchor(title));
      expect(titles).toContain(section);
    }
  });
});

describe("the front pages", () => {
  it.each([
    ["README.md", 900],
    ["ARCHITECTURE.md", 1200],
  ])("are short enough to be finished: %s", (page, most) => {
    expect(read(page).split(/\s+/).filter(Boolean).length).toBeLessThan(most);
  });

  it("have the two commands within the first 20 lines of the README", () => {
    const start = read("README.md").split("\n").slice(0, 20).join("\n");
    expect(start).toMatch(/^npm ci && npm start/m);
    expect(start).toMatch(/^npm ci && npm test/m);
  });
});

describe("the page on installing", () => {
  it("says how much of the cache the controlled study takes", async () => {
    const { tasks, seeds } = readSpecification((await studyText("controlled")).text, "controlled");
    const bytes = tasks.map(({ task }) => {
      const { train, test, geometry, parameters } = taskOf(task as TaskName);
      const { inputShape, responseShape } = geometry(parameters);
      const numbers = [inputShape, responseShape].map((shape) => shape.reduce((a, b) => a * b, 1));
      return 8 * seeds.length * (train + test) * (numbers[0] + numbers[1]);
    });
    const sum = bytes.reduce((a, b) => a + b, 0);
    expect(read("docs/install.md")).toContain(`The data of \`controlled\` take ${(sum / 1e9).toFixed(1)} GB`);
  });
});
