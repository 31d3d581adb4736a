import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { tensorboard } from "../../src/tracking/tensorboard/tensorboard.js";
import { freshFolders, point, STARTED, sampleTrackedRun } from "./tracked-folder.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const isThere =
  spawnSync(PYTHON, ["-c", "import tensorboard.plugins.hparams.list_session_groups"]).status === 0;
const fresh = freshFolders();
const execute = promisify(execFile);

interface Read {
  readonly runs: readonly string[];
  /** Steps and values by run and tag: of the server's data provider, and of `EventAccumulator`. */
  readonly scalars: Readonly<Record<string, Readonly<Record<string, readonly [number, number][]>>>>;
  readonly plain: Read["scalars"];
  readonly texts: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly experiment: {
    readonly hparamInfos: readonly { name: string; type: string; differs?: boolean }[];
    readonly metricInfos: readonly { name: { tag: string } }[];
  };
  readonly sessions: {
    readonly sessionGroups: readonly {
      name: string;
      hparams: Record<string, unknown>;
      sessions: { status: string; startTimeSecs: number; endTimeSecs: number }[];
      metricValues: { name: { tag: string }; value: number; trainingStep?: number }[];
    }[];
  };
  readonly layout: {
    readonly category: readonly { title: string; chart: { multiline: { tag: string[] } }[] }[];
  };
}

async function read(folder: string): Promise<Read> {
  const script = join(import.meta.dirname, "read-events.py");
  const { stdout } = await execute(PYTHON, [script, folder], { maxBuffer: 1 << 26 });
  return JSON.parse(stdout);
}

const open = (folder: string) =>
  tensorboard.choose(folder, { folder, studies: ["tiny"] }).open(new AbortController().signal);

describe("TensorBoard's own readers", () => {
  const [a, b] = [
    sampleTrackedRun(),
    sampleTrackedRun({ id: "b", params: { task: "burgers", alpha: 100, seed: 1, tf32: true, μ: "x" } }),
  ];
  const end = { time: STARTED + 8000, metrics: { training_seconds: 8 }, files: [] };

  it.skipIf(!isThere)(
    "find the scalars, settings and ends of all runs, and the layout",
    async () => {
      const folder = fresh();
      const first = await open(folder);
      for (const run of [a, b]) await first.begin(run);
      await first.log(a, [point(0, { "client_test_error/0": 2 }), point(1)]);
      await first.log(b, [point(0)]);
      await first.end(b, { ...end, status: "failed", round: 0, message: "diverged" });
      await first.close();
      const second = await open(folder); // a study that is resumed
      await second.begin(a);
      await second.log(a, [point(5)]);
      await second.end(a, { ...end, status: "finished", round: 5 });
      await second.log(
        a,
        [0, 5].map((round) => ({ round, time: STARTED, metrics: { excess_error: round } })),
      );
      await second.close();

      const { runs, scalars, plain, texts, experiment, sessions, layout } = await read(folder);
      expect(runs).toEqual([".", "b", a.id]);
      const expected = [
        [0, 1],
        [1, 0.5],
        [5, Math.fround(1 / 6)],
      ];
      expect(scalars[a.id].test_error).toEqual(expected);
      expect(plain[a.id].test_error).toEqual(expected);
      expect(scalars[a.id]["client_test_error/0"]).toEqual([[0, 2]]);
      expect(scalars[a.id].excess_error).toEqual([
        [0, 0],
        [5, 5],
      ]);
      expect(texts[a.id].facts).toEqual([
        "| fact | value |\n|---|---|\n| device | a CPU |\n| data_sha256 | 00ff |",
      ]);
      expect(experiment.hparamInfos.map(({ name, differs = false }) => [name, differs]).sort()).toEqual([
        ["alpha", true],
        ["seed", true],
        ["strategy", false],
        ["task", false],
        ["tf32", true],
        ["μ", false],
      ]);
      expect(experiment.hparamInfos.find(({ name }) => name === "alpha")?.type).toBe("DATA_TYPE_FLOAT64");
      expect(experiment.metricInfos.map(({ name }) => name.tag)).toContain("test_error");
      const groups = new Map(sessions.sessionGroups.map((group) => [group.name, group]));
      expect(groups.get(a.id)?.hparams).toEqual(a.params);
      expect(groups.get("b")?.hparams).toEqual(b.params);
      expect([...groups.values()].map(({ sessions: [{ status }] }) => status).sort()).toEqual([
        "STATUS_FAILURE",
        "STATUS_SUCCESS",
      ]);
      expect(groups.get(a.id)?.sessions[0]).toMatchObject({
        startTimeSecs: STARTED / 1000,
        endTimeSecs: STARTED / 1000 + 8,
      });
      const last = groups.get(a.id)!.metricValues.find(({ name }) => name.tag === "test_error");
      expect(last).toMatchObject({ value: Math.fround(1 / 6), trainingStep: 5 });
      expect(layout.category.map(({ title }) => title)).toEqual(["Test error", "Drift", "Clients"]);
    },
    120_000,
  );

  it.skipIf(!isThere)(
    "forget what another device computed, and how a run failed that goes on",
    async () => {
      const folder = fresh();
      const first = await open(folder);
      await first.begin(a);
      await first.log(a, [point(0), point(1), point(5)]);
      await first.end(a, { ...end, status: "failed", round: 5, message: "out of memory" });
      await first.close();
      const elsewhere = { ...a, attempt: "pde-dirichlet 0.1.0 cuda" };
      const second = await open(folder);
      await second.begin(elsewhere);
      await second.log(elsewhere, [point(0), point(1)]);
      await second.end(elsewhere, { ...end, status: "finished", round: 1 });
      await second.close();
      const { scalars, plain, sessions } = await read(folder);
      for (const found of [scalars, plain])
        expect(found[a.id].test_error).toEqual([
          [0, 1],
          [1, 0.5],
        ]);
      expect(sessions.sessionGroups.map(({ sessions: [{ status }] }) => status)).toEqual(["STATUS_SUCCESS"]);
    },
    120_000,
  );
});
