import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { diagnose } from "../../src/diagnostics/diagnose.js";
import { UserError } from "../../src/errors.js";
import { fromData, fromStatistics } from "../../src/exchange/diagnosis-input.js";
import { readBins } from "../../src/exchange/own-partition.js";
import { binsSha256 } from "../../src/exchange/partition-file.js";
import { binsFileBytes, openBinsFile } from "../../src/exchange/sites/bins-file.js";
import { countSite } from "../../src/exchange/sites/count-site.js";
import { type FittedBins, fitDataFile } from "../../src/exchange/sites/fit-bins.js";
import {
  checkSiteName,
  readSiteCounts,
  type SiteFacts,
  siteCountsText,
} from "../../src/exchange/sites/site-counts.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { openNpz, writeNpz } from "../../src/files/npz.js";
import { writeNpy } from "../../src/index.js";
import { stream } from "../../src/random/stream.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-sites-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string) => join(folder, name);
const SHAPE = [4, 5];
const SIZES = { a: 90, b: 60, c: 50 } as const;

/** Fields whose amplitude depends on the site. */
function fields(samples: number, seed: number, amplitude: number): Float64Array {
  const random = stream(seed, "fields");
  return Float64Array.from({ length: samples }, () => random.uniform() + amplitude).reduce<Float64Array>(
    (all, size, sample) => {
      for (let i = 0; i < 20; i++)
        all[20 * sample + i] = size * Math.sin(i / 3 + 5 * size) + 0.1 * random.uniform();
      return all;
    },
    new Float64Array(20 * samples),
  );
}

let fitted: FittedBins;
beforeAll(async () => {
  writeFileSync(path("public.npy"), writeNpy(fields(150, 1, 0.3), [150, ...SHAPE]));
  const sites = Object.entries(SIZES).map(([name, size], i) => ({
    name,
    values: fields(size, 7 + i, i / 3),
  }));
  for (const { name, values } of sites)
    writeFileSync(path(`${name}.npy`), writeNpy(values, [values.length / 20, ...SHAPE]));
  const pooled = Float64Array.from(sites.flatMap(({ values }) => [...values]));
  writeFileSync(path("pooled.npy"), writeNpy(pooled, [pooled.length / 20, ...SHAPE]));
  const clients = sites.flatMap(({ name, values }) => new Array<string>(values.length / 20).fill(name));
  writeFileSync(path("clients.csv"), `client\n${clients.join("\n")}\n`);
  fitted = await fitDataFile(path("public.npy"), { bins: 6, seed: 3 });
  writeFileSync(path("bins.npz"), binsFileBytes(fitted.bins, fitted.about));
});

async function shareCounts(site: string, minimum: number, shareFit = false): Promise<string> {
  const { shared, contributors, bins, fit } = await countSite(path("bins.npz"), path(`${site}.npy`), {
    minimum,
  });
  const file = path(`counts-${site}-${minimum}.csv`);
  const facts = { binsSha256: bins.about.bins.sha256, rule: { minimum, contributors } };
  writeFileSync(file, siteCountsText(site, shared.counts, { ...facts, ...(shareFit && { fit }) }));
  return file;
}

describe("a file of bins", () => {
  it("gives the bins back to the last bit, with what is known of their fit", async () => {
    const { model, data, seed, fitted: reach } = await readBins(path("bins.npz"));
    const { mean, scale, centroids, shape, bins } = fitted.bins;
    expect(model).toEqual({ mean, scale, centroids, shape, bins });
    expect([seed, data]).toEqual([3, fitted.about.data]);
    expect(reach).toEqual({
      samples: 150,
      meanDistance: fitted.bins.quantisationError,
      farthest: Math.max(...fitted.bins.distances),
      explainedVariance: fitted.bins.quality!.explainedVariance,
    });
  });

  it("may hold mean and centroids in single precision, and describes the bins that it holds", async () => {
    const single = await fitDataFile(path("public.npy"), { bins: 6, seed: 3, float32: true });
    const bytes = binsFileBytes(single.bins, single.about, true);
    const archive = await openNpz(bytesInMemory(bytes, "b.npz"));
    for (const name of ["centroids", "mean"]) expect((await archive.array(name)).dtype).toBe("float32");
    const { model, about } = await openBinsFile(bytesInMemory(bytes, "b.npz"), "b.npz");
    expect(model.centroids).toEqual(fitted.bins.centroids.map(Math.fround));
    expect(about.bins.sha256).toBe(await binsSha256(model));
    expect(about.bins.sha256).not.toBe(fitted.about.bins.sha256);
    expect(single.bins.distances.length).toBe(150);
  });

  it.skipIf(spawnSync(PYTHON, ["-c", "import numpy"]).status !== 0)("explains itself to NumPy", () => {
    const script = `
import json, numpy as np
b = np.load("${path("bins.npz")}")
about = json.loads(b["about"].tobytes())
u = np.load("${path("a.npy")}")
x = (u - b["mean"]) / b["scale"]
d = np.sqrt(((x[:, None] - b["centroids"][None]) ** 2).sum(axis=(2, 3)))
c = np.sqrt(((b["centroids"][:, None] - b["centroids"][None]) ** 2).sum(axis=(2, 3)))
assert np.allclose(c, b["cost"]) and b["counts"].sum() == about["data"]["samples"]
print(json.dumps({"schema": about["schema"], "counts": np.bincount(d.argmin(1), minlength=6).tolist()}))
`;
    const { stdout, stderr } = spawnSync(PYTHON, ["-c", script], { encoding: "utf8" });
    expect(stderr).toBe("");
    const { schema, counts } = JSON.parse(stdout);
    expect(schema).toBe("pde-dirichlet/bins/1");
    return countSite(path("bins.npz"), path("a.npy"), { minimum: 1 }).then((found) =>
      expect(found.counts).toEqual(counts),
    );
  });

  it("is refused in one line however it is cut short", async () => {
    const whole = readFileSync(path("bins.npz"));
    for (let length = 0; length < whole.length; length += 97) {
      const cut = bytesInMemory(whole.subarray(0, length), "bins.npz");
      await expect(openBinsFile(cut, "bins.npz")).rejects.toThrow(UserError);
    }
  });

  it("is refused in one line, or read to the same bits, whichever byte is damaged", async () => {
    const whole = readFileSync(path("bins.npz"));
    const random = stream(1, "damage");
    for (let i = 0; i < 300; i++) {
      const damaged = Uint8Array.from(whole);
      damaged[random.below(whole.length)] ^= 1 + random.below(255);
      const found = await openBinsFile(bytesInMemory(damaged, "bins.npz"), "bins.npz").catch(
        (error) => error,
      );
      if (!(found instanceof UserError))
        expect(found.model.centroids, String(found)).toEqual(fitted.bins.centroids);
    }
  });

  it("is refused if it holds other bins than it describes, or is of another kind", async () => {
    const archive = await openNpz(bytesInMemory(readFileSync(path("bins.npz")), "bins.npz"));
    const entries: Record<string, Parameters<typeof writeNpz>[0][string]> = {};
    for (const name of archive.names) {
      const array = await archive.array(name);
      entries[name] = { values: await array.read(0, array.rows), shape: array.shape };
    }
    const about = (change: object) =>
      new TextEncoder().encode(JSON.stringify({ ...fitted.about, ...change }));
    const opened = (change: typeof entries) =>
      openBinsFile(bytesInMemory(writeNpz({ ...entries, ...change }), "b.npz"), "b.npz");
    await expect(opened({})).resolves.toMatchObject({ about: fitted.about });
    const moved = { values: fitted.bins.centroids.map((value) => value + 1), shape: [6, ...SHAPE] };
    for (const [change, message] of [
      [{ centroids: moved }, "holds other bins than it describes"],
      [{ about: about({ representation: "pca:20" }) }, 'representation "pca:20", which is not known'],
      [{ about: about({ schema: "pde-dirichlet/bins/2" }) }, "layout pde-dirichlet/bins/2, but this version"],
      [{ about: about({ data: {} }) }, "b.npz is not a file of bins: data.name"],
      [{ about: new Uint8Array([123]) }, "`about` is not JSON"],
      [{ about: new Float64Array(3) }, "`about` is not JSON"],
    ] as const)
      await expect(opened(change)).rejects.toThrow(message);
    await expect(openBinsFile(bytesInMemory(new Uint8Array(9), "b.h5"), "b.h5")).rejects.toThrow(
      "b.h5 is not a file of bins: `pde-dirichlet bins fit <data>` writes one",
    );
  });
});

describe("sites that share counts", () => {
  it("sum to the counts of the pooled data", async () => {
    const pooled = await countSite(path("bins.npz"), path("pooled.npy"), { minimum: 1 });
    const sites = await Promise.all(
      Object.keys(SIZES).map((site) => countSite(path("bins.npz"), path(`${site}.npy`), { minimum: 1 })),
    );
    const sums = pooled.counts.map((_, bin) => sites.reduce((sum, { counts }) => sum + counts[bin], 0));
    expect(sums).toEqual(pooled.counts);
  });

  it("have the metrics of the pooled data split by site, to the last bit", async () => {
    const files = await Promise.all(Object.keys(SIZES).map((site) => shareCounts(site, 1)));
    const binsFrom = path("bins.npz");
    const counted = await fromStatistics(files, { binsFrom, seed: 0 });
    const pooled = await fromData(path("pooled.npy"), path("clients.csv"), { binsFrom, seed: 0 });
    expect(counted.clientNames).toEqual(["a", "b", "c"]);
    expect(counted.remarks).toEqual([]);
    const [byCounts, byData] = [counted, pooled].map((input) => diagnose(input).metrics);
    expect(byCounts).toEqual({ ...byData, eps_quant: null });
    expect(byCounts.d_sol).toBeGreaterThan(0.1);
  });

  it("have the mean distance of the pooled data, if all share it", async () => {
    const files = await Promise.all(Object.keys(SIZES).map((site) => shareCounts(site, 2, true)));
    const binsFrom = path("bins.npz");
    const counted = await fromStatistics(files, { binsFrom });
    const pooled = await fromData(path("pooled.npy"), path("clients.csv"), { binsFrom, seed: 0 });
    expect(counted.quantisationError).toBeCloseTo(pooled.quantisationError!, 2);
    const mixed = await fromStatistics([files[0], await shareCounts("b", 1)], { binsFrom });
    expect(mixed.quantisationError).toBeUndefined();
  });

  it("say how far a minimum may change D_sol, and keep within it", async () => {
    const exact = await Promise.all(Object.keys(SIZES).map((site) => shareCounts(site, 1)));
    const hidden = await Promise.all(Object.keys(SIZES).map((site) => shareCounts(site, 12)));
    const binsFrom = path("bins.npz");
    const [one, other] = await Promise.all(
      [exact, hidden].map((files) => fromStatistics(files, { binsFrom })),
    );
    expect(one.smallCounts).toBeUndefined();
    const bound = other.smallCounts!.dSolError!;
    expect(other.notes![0]).toContain("All 3 clients share no count below 12 samples");
    const change = Math.abs(diagnose(one).metrics.d_sol - diagnose(other).metrics.d_sol);
    expect(change).toBeGreaterThan(0);
    expect(change).toBeLessThanOrEqual(bound);
    // Other positions of the bins say nothing of the nearest bin.
    writeFileSync(path("cost.npy"), writeNpy(Float64Array.from(one.cost.values), [6, 6]));
    const blind = await fromStatistics(hidden, { cost: path("cost.npy") });
    expect(blind.smallCounts!.dSolError).toBeUndefined();
    expect(diagnose(blind).metrics).toEqual(diagnose(other).metrics);
  });

  it("count groups for the minimum where samples belong together", async () => {
    const values = fields(60, 4, 0.2);
    const samples = { values, shape: [60, ...SHAPE] };
    const patient = Float64Array.from({ length: 60 }, (_, i) => Math.floor(i / 15)); // four patients
    writeFileSync(path("patients.npz"), writeNpz({ u: samples, patient }));
    const choice = { responses: "u", group: "patient" };
    const found = await countSite(path("bins.npz"), path("patients.npz"), { ...choice, minimum: 3 });
    expect(found.contributors).toBe("groups");
    await expect(
      countSite(path("bins.npz"), path("patients.npz"), { ...choice, minimum: 5 }),
    ).rejects.toThrow("no bin holds 5 groups of samples: nothing can be shared");
  });
});

describe("a file of counts", () => {
  const facts: SiteFacts = { binsSha256: "0".repeat(64), rule: { minimum: 5, contributors: "samples" } };
  const read = (text: string) => readSiteCounts(bytesInMemory(new TextEncoder().encode(text), "c.csv"), {});

  it("gives back whatever a site may share", async () => {
    const names = fc.string({ minLength: 1, unit: "grapheme" }).filter((name) => {
      try {
        checkSiteName(name);
        return true;
      } catch {
        return false;
      }
    });
    const counts = fc
      .array(fc.oneof(fc.constant(0), fc.integer({ min: 5, max: 1e6 })), { minLength: 1, maxLength: 12 })
      .filter((row) => row.some((count) => count > 0));
    await fc.assert(
      fc.asyncProperty(names, counts, async (name, row) => {
        const table = await read(siteCountsText(name, row, facts));
        expect(table).toMatchObject({ clientNames: [name], counts: [row], facts });
      }),
    );
  });

  it("holds nothing but counts, name, bins and rule unless the site shares more", () => {
    expect(siteCountsText("a", [7, 0], facts)).toBe(
      `# pde-dirichlet/counts/1\n# bins: ${"0".repeat(64)}\n# minimum: 5 samples\nclient,bin 0,bin 1\na,7,0\n`,
    );
    const fit = { meanDistance: 0.123456, explainedVariance: 0.98765, outside: 12 };
    const lines = siteCountsText("a", [7, 0], { ...facts, fit }).split("\n");
    // Samples outside are rounded to multiples of the minimum: one alone is not told.
    expect(lines.slice(3, 6)).toEqual([
      "# mean_distance: 0.123",
      "# explained_variance: 0.988",
      "# outside: 10",
    ]);
  });

  it("is read after a spreadsheet has saved it", async () => {
    const saved = siteCountsText("a", [7, 0], facts)
      .replace(/\n/g, "\r\n")
      .replace(/^(#.*)\r/gm, "$1,,\r");
    expect(await read(`\ufeff${saved}`)).toMatchObject({ counts: [[7, 0]], facts });
  });

  it.each([
    [
      "a count below the minimum",
      (text: string) => text.replace("a,7", "a,3"),
      "a minimum of 5, but a has 3",
    ],
    [
      "another layout",
      (text: string) => text.replace("counts/1", "counts/2"),
      "layout pde-dirichlet/counts/2",
    ],
    ["a damaged hash", (text: string) => text.replace("bins: 0", "bins: x"), 'the comment "bins" is missing'],
    ["no minimum", (text: string) => text.replace("# minimum: 5 samples\n", ""), 'the comment "minimum"'],
    ["no table", (text: string) => text.slice(0, 60), 'the comment "bins" is missing'],
  ])("is refused for %s", async (_, damage, message) => {
    await expect(read(damage(siteCountsText("a", [7, 0], facts)))).rejects.toThrow(message);
  });

  it.each(["", " a", "a\nb", "#a", "a\u2028b"])("is not written for the site %j", (name) => {
    expect(() => checkSiteName(name)).toThrow("a site has a name of one line");
  });
});

describe("a federation", () => {
  const facts = (minimum = 1, bins = "0"): SiteFacts => ({
    binsSha256: bins.repeat(64),
    rule: { minimum, contributors: "samples" },
  });
  const write = (name: string, text: string) => {
    writeFileSync(path(name), text);
    return path(name);
  };

  it("refuses a site that counts twice, and sites with different bins", async () => {
    const one = write("one.csv", siteCountsText("one", [7, 9], facts()));
    const again = write("again.csv", siteCountsText("one", [7, 9], facts()));
    const other = write("other.csv", siteCountsText("other", [7, 9], facts(1, "1")));
    const wide = write("wide.csv", "client,a,b,c\nwide,1,2,3\n");
    const cost = write("distances.csv", "0,1\n1,0\n");
    const refused = (files: string[], more = {}) => fromStatistics(files, { cost, ...more });
    await expect(refused([one, again])).rejects.toThrow("again.csv both have counts of one");
    await expect(refused([one, other])).rejects.toThrow("other.csv were counted in different bins");
    await expect(refused([one, wide])).rejects.toThrow("one.csv has 2 bins, but");
    const binsFrom = path("bins.npz");
    const six = write("six.csv", siteCountsText("six", [7, 9, 1, 1, 1, 1], facts()));
    await expect(refused([six], { cost: undefined, binsFrom })).rejects.toThrow(
      "was counted in other bins than",
    );
    await expect(refused([one], { binsFrom })).rejects.toThrow("say where the bins lie");
  });

  it("takes tables of others, and says that their bins are not known", async () => {
    const theirs = write("theirs.csv", "client,0,1,2,3,4,5\nx,7,1,1,1,1,1\n");
    const { clientNames, remarks } = await fromStatistics([theirs, await shareCounts("a", 1)], {
      binsFrom: path("bins.npz"),
    });
    expect(clientNames).toEqual(["x", "a"]);
    expect(remarks).toEqual([
      expect.stringMatching(/theirs\.csv does not say in which bins samples were counted/),
    ]);
  });

  it("warns of a site whose samples the bins do not describe, if it shares this", async () => {
    writeFileSync(path("far.npy"), writeNpy(fields(40, 3, 6), [40, ...SHAPE]));
    const files = [await shareCounts("b", 1, true), await shareCounts("far", 1, true)];
    const { remarks } = await fromStatistics(files, { binsFrom: path("bins.npz") });
    expect(remarks!.length).toBeGreaterThan(0);
    expect(remarks!.every((remark) => remark.startsWith("far: "))).toBe(true);
  });
});
