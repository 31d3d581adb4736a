import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { writeNpz } from "../../src/index.js";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const page = readFileSync(join(import.meta.dirname, "../../docs/first-hour.md"), "utf8");
const rows = [...page.matchAll(/^\|[^|]*\| `([^|]+)` \| (.+) \|$/gm)].map(([, command, answer]) => ({
  command,
  answer,
}));

beforeAll(() => {
  const shape = [120, 8, 8];
  const values = (factor: number) =>
    Float64Array.from({ length: 120 * 64 }, (_, i) => Math.sin(factor * i * (1 + (i >> 6))));
  writeFileSync(
    path("fields.npz"),
    writeNpz({ a: { values: values(0.01), shape }, u: { values: values(0.003), shape } }),
  );
  const clients = Object.fromEntries(
    [0, 1, 2].map((k) => [k, Array.from({ length: 40 }, (_, i) => 3 * i + k)]),
  );
  writeFileSync(path("theirs.json"), JSON.stringify(clients));
});

describe("what people type first", () => {
  it("is on the page", () => expect(rows.length).toBeGreaterThan(20));

  it.each(rows)("works or names the right command: $command", async ({ command, answer }) => {
    const args = [...command.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word.replaceAll('"', ""));
    const { stdout, stderr } = await run(...args);
    expect(stdout + stderr).toContain(answer.replace(/^(`[^`]+`)$/, "$1"));
  });
});
