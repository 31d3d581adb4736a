import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { workFolder } from "./command.js";

const { path, run } = workFolder();
const SMALL = ["--only", "transport-band", "--train", "120", "--test", "10"];

describe("theory", () => {
  it("prints verdicts, and writes a page with its figure and evidence", async () => {
    const { status, stdout } = await run("theory", ...SMALL, "--out", "small", "--quiet");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Transport and norm\n {2}holds +c_min TV ≤ W_C\n/m);
    expect(stdout).toContain("Antiderivative: 5 hold");
    const page = readFileSync(path("small/theory.md"), "utf8");
    expect(page).toContain("# The theory, checked on Antiderivative");
    expect(page).toContain("120 training and 10 test samples");
    expect(page).toContain("smaller than the paper's, which has 1000 training samples and 1000 test samples");
    expect(page).toContain(
      "pde-dirichlet theory --task antiderivative --only transport-band --seed 42 --train 120 --test 10 --out small",
    );
    expect(readFileSync(path("small/figures/transport-band.svg"), "utf8")).toContain("<svg");
    const evidence = JSON.parse(readFileSync(path("small/evidence.json"), "utf8"));
    expect(evidence).toMatchObject({
      schema: "pde-dirichlet/theory/1",
      predictions: [{ name: "transport-band" }],
    });
    expect(evidence.predictions[0].evidence.partitions.length).toBeGreaterThan(100);
  });

  it("does not replace what is there, says so before any work, and does with --force", async () => {
    const refused = await run("theory", ...SMALL, "--out", "small");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toBe(
      "pde-dirichlet: small/theory.md exists: choose another --out or add --force\n",
    );
    const forced = await run("theory", ...SMALL, "--out", "small", "--force", "--json", "--quiet");
    expect(forced.status).toBe(0);
    expect(JSON.parse(forced.stdout).predictions[0].findings[0].verdict).toBe("holds");
  });

  it.each([
    [["--only", "luck"], /--only .*luck/],
    [["--task", "heat"], /--task .*heat/],
    [["--train", "5"], /5 samples cannot give 10 clients/],
  ])("refuses %j in one line", async (options, message) => {
    const { status, stderr } = await run("theory", ...options, "--out", "bad");
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
