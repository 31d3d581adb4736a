import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordFigure } from "../../src/analysis/report.js";
import { PAPER_ADDITIONS } from "../../src/paper/additions.js";
import { type StudioServer, startStudio } from "../../src/studio/server/server.js";
import { NO_LINES, readOn } from "../../src/studio/server/studies/journal-tail.js";
import type { FoundStudy, SentJournal, StudyEvent } from "../../src/studio/study/study-events.js";

const RECORDS = join(import.meta.dirname, "../../docs/results/records");
const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-studies-"));
const path = (...names: string[]) => join(folder, "open", ...names);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

mkdirSync(path("deep", "er"), { recursive: true });
mkdirSync(join(folder, "outside"));
cpSync(join(RECORDS, "navier-stokes"), path("deep", "er", "flow"), { recursive: true });
cpSync(join(RECORDS, "navier-stokes"), join(folder, "outside", "flow"), { recursive: true });
mkdirSync(path("remedies"));
cpSync(join(RECORDS, "remedies", "records.parquet"), path("remedies", "records.parquet"));
symlinkSync(join(folder, "outside", "flow"), path("link"));
const FLOW = "deep/er/flow";
const runs = readdirSync(path("deep", "er", "flow", "runs"));

let server: StudioServer;
beforeAll(async () => {
  server = await startStudio({ folder: path(), additions: async () => PAPER_ADDITIONS });
});
afterAll(() => server.close());

const ask = (route: string, query: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${server.origin}api/${route}?${new URLSearchParams(query)}`, {
    ...init,
    headers: { cookie: server.cookie, ...init.headers },
  });

/** Events of a study until one of them fits; the stream ends then. */
async function eventsUntil(
  study: string,
  fits: (event: StudyEvent, all: readonly StudyEvent[]) => boolean,
  act: (event: StudyEvent) => void = () => {},
): Promise<StudyEvent[]> {
  const left = new AbortController();
  const answer = await ask("study/events", { study }, { signal: left.signal });
  expect(answer.headers.get("content-type")).toBe("text/event-stream");
  const events: StudyEvent[] = [];
  let text = "";
  for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    const pieces = text.split("\n\n");
    text = pieces.pop()!;
    for (const piece of pieces) {
      const event: StudyEvent = JSON.parse(piece.slice("data: ".length));
      events.push(event);
      act(event);
      if (!fits(event, events)) continue;
      left.abort();
      return events;
    }
  }
  throw new Error("the stream ended");
}

describe("the studies of a folder", () => {
  it("are found below it, but not through links", async () => {
    const found: FoundStudy[] = await (await ask("studies")).json();
    expect(found.map((one) => one.path).sort()).toEqual([FLOW, "remedies"]);
    const flow = found.find((one) => one.path === FLOW)!;
    expect(flow).toMatchObject({ runs: 12, hasTable: true, hasReport: false, isWorkedOn: false });
  });

  it("give their table as it lies there, and no bytes where there is none", async () => {
    const answer = await ask("study/table", { study: FLOW });
    expect(answer.headers.get("content-type")).toBe("application/vnd.apache.parquet");
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.equals(readFileSync(path(FLOW, "records.parquet")))).toBe(true);
    const csv = await ask("study/table", { study: FLOW, format: "csv" });
    expect([csv.status, (await csv.arrayBuffer()).byteLength]).toEqual([200, 0]);
  });

  it.each([
    "study/table",
    "study/events",
    "study/journal",
    "study/figures",
    "study/figure",
    "study/tables",
    "study/report",
  ])("are not read outside of it: %s", async (route) => {
    for (const study of [
      "..",
      "../outside/flow",
      "link",
      join(folder, "outside", "flow"),
      "deep/../../outside",
    ]) {
      const answer = await ask(route, { study, run: runs[0], name: "test-error", saved: "yes" });
      expect(answer.status, study).toBe(400);
      expect((await answer.json()).error).toMatch(/outside|absolute/);
    }
  });

  it("have no run whose name is a path", async () => {
    for (const run of ["", "..", "../..", "a/../b", "..\\x"]) {
      const answer = await ask("study/journal", { study: FLOW, run });
      expect(answer.status, run).toBe(400);
    }
  });

  it("are none where no folder is open", async () => {
    const bare = await startStudio();
    try {
      const asked = (route: string) =>
        fetch(`${bare.origin}api/${route}`, { headers: { cookie: bare.cookie } });
      expect(await (await asked("studies")).json()).toEqual([]);
      const answer = await asked("study/table");
      expect([answer.status, (await answer.json()).error]).toEqual([
        400,
        "no folder is open: start the studio with one, such as pde-dirichlet studio out",
      ]);
    } finally {
      await bare.close();
    }
  });
});

describe("the events of a study", () => {
  it("say what runs there are, how they stand and which table there is; then only what changes", async () => {
    const events = await eventsUntil(FLOW, ({ kind }) => kind === "problems");
    expect(events.map(({ kind }) => kind)).toEqual([
      "runs",
      "table",
      "report",
      "standings",
      "work",
      "problems",
    ]);
    expect(events.find(({ kind }) => kind === "runs")).toMatchObject({
      runs: expect.arrayContaining([expect.objectContaining({ id: runs[0], rounds: 50 })]),
    });
    expect(events.find(({ kind }) => kind === "standings")).toMatchObject({
      runs: runs.map((id) => ({ id, state: "finished", round: 50 })),
    });
  });

  it("have the measurements of runs that the table lacks, and go on with what is appended", async () => {
    const study = path("growing");
    cpSync(path(FLOW), study, { recursive: true });
    rmSync(join(study, "records.parquet"));
    const [run] = runs;
    const journal = join(study, "runs", run, "journal.jsonl");
    const lines = readFileSync(journal, "utf8").split("\n").slice(0, -1);
    const record = JSON.parse(readFileSync(join(study, "runs", run, "run.json"), "utf8"));
    // A record without a result is one of a run that goes on; older layouts need no digest.
    const { result: _, sha256: __, ...begun } = record;
    writeFileSync(
      join(study, "runs", run, "run.json"),
      JSON.stringify({ ...begun, schema: "pde-dirichlet/run/2", status: "running" }),
    );
    writeFileSync(journal, `${lines.slice(0, 3).join("\n")}\n{"round": 20, "test`);
    let step = 0;
    const events = await eventsUntil(
      "growing",
      (event) => event.kind === "measured" && event.runs.some(({ id, from }) => id === run && from === 3),
      ({ kind }) => {
        // Half a line is no news; its other half, and a line behind it, are.
        if (kind === "problems" && step++ === 0)
          setTimeout(() => writeFileSync(journal, `${lines.slice(0, 5).join("\n")}\n`), 300);
      },
    );
    const own = events.flatMap((event) =>
      event.kind === "measured" ? event.runs.filter(({ id }) => id === run) : [],
    );
    expect(own.map(({ from, checkpoints }) => [from, checkpoints.map(({ round }) => round)])).toEqual([
      [0, lines.slice(0, 3).map((line) => JSON.parse(line).round)],
      [3, lines.slice(3, 5).map((line) => JSON.parse(line).round)],
    ]);
    expect(own[0].common).toMatchObject({
      run_id: run,
      seed: 0,
      settings: expect.objectContaining({ clients: 10 }),
    });
    expect(own[1].common).toBeUndefined();
    const standing = events
      .flatMap((event) => (event.kind === "standings" ? event.runs : []))
      .filter(({ id }) => id === run)
      .at(-1);
    expect(standing).toMatchObject({ state: "stopped", round: JSON.parse(lines[4]).round });
  });

  it("leave out a broken line of a journal and say so, and the journal is shown without it", async () => {
    const study = path("broken");
    cpSync(path(FLOW), study, { recursive: true });
    rmSync(join(study, "records.parquet"));
    const journal = join(study, "runs", runs[1], "journal.jsonl");
    const lines = readFileSync(journal, "utf8").split("\n");
    writeFileSync(
      journal,
      [...lines.slice(0, 2), '{"round": 3, "test_err', "\u0000\u0001", ...lines.slice(2)].join("\n"),
    );
    writeFileSync(join(study, "runs", runs[2], "run.json"), "{");
    const events = await eventsUntil("broken", ({ kind }) => kind === "problems");
    const problems = events.flatMap((event) => (event.kind === "problems" ? event.lines : []));
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`${runs[2]}.*run.json is not JSON`)),
      `${runs[1]}: lines 3, 4 of its journal are no measurement and left out`,
    ]);
    const sent: SentJournal = await (await ask("study/journal", { study: "broken", run: runs[1] })).json();
    expect(sent.broken).toEqual([3, 4]);
    expect(sent.lines.map(({ round }) => round)).toEqual(
      lines.filter(Boolean).map((line) => JSON.parse(line).round),
    );
  });

  it("say that a folder is gone, and what is there when it comes back", async () => {
    cpSync(path(FLOW), path("moving"), { recursive: true });
    const events = await eventsUntil(
      "moving",
      ({ kind }, all) => kind === "runs" && all.some((event) => event.kind === "gone"),
      ({ kind }) => {
        if (kind === "problems") renameSync(path("moving"), path("moved"));
        if (kind === "gone") setTimeout(() => renameSync(path("moved"), path("moving")), 100);
      },
    );
    expect(events.map(({ kind }) => kind)).toContain("gone");
  });
});

describe("the tail of a journal", () => {
  const journal = join(folder, "journal.jsonl");
  const line = (round: number) =>
    `${JSON.stringify({ round, test_error: 1 / (1 + round), train_loss: 1, h_g_norm: null, d_loc: 0, parameters_sha256: "" })}\n`;

  it("is read on from where it ended, waits for half lines, and begins again where the journal was cut", async () => {
    writeFileSync(journal, line(0) + line(1) + line(2).slice(0, 20));
    const first = await readOn(journal, NO_LINES);
    expect(first.lines.map(({ round }) => round)).toEqual([0, 1]);
    appendFileSync(journal, line(2).slice(20) + line(5));
    const second = await readOn(journal, first);
    expect([second.kept, ...second.lines.map(({ round }) => round)]).toEqual([2, 0, 1, 2, 5]);
    expect(await readOn(journal, second)).toEqual({ ...second, kept: 4 });
    truncateSync(journal, line(0).length);
    appendFileSync(journal, line(1));
    const third = await readOn(journal, second);
    expect([third.kept, ...third.lines.map(({ round }) => round)]).toEqual([0, 0, 1]);
    // As long as before, with other contents.
    writeFileSync(journal, line(0) + line(7));
    const fourth = await readOn(journal, third);
    expect(fourth.lines.map(({ round }) => round)).toEqual([0, 7]);
  });
});

describe("the figures and the report of a study", () => {
  it("are SVG, PNG and PDF files", async () => {
    const starts = { svg: "<svg", png: "\x89PNG\r\n\x1a\n", pdf: "%PDF-1." };
    for (const [format, start] of Object.entries(starts)) {
      const answer = await ask("study/figure", { study: FLOW, name: "test-error", format });
      expect(answer.status).toBe(200);
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(bytes.subarray(0, start.length).toString("latin1")).toBe(start);
    }
    const none = await ask("study/figure", { study: FLOW, name: "nonsense" });
    expect([none.status, (await none.json()).error]).toEqual([400, 'the report has no figure "nonsense"']);
    expect((await ask("study/figure", { study: FLOW, name: "test-error", format: "exe" })).status).toBe(400);
  });

  it("are of the runs that pass the filter, and come one after another", async () => {
    const figuresOf = async (filter: string) => {
      const text = await (await ask("study/figures", { study: FLOW, filter })).text();
      return text
        .split("\n\n")
        .filter(Boolean)
        .map((event): RecordFigure | null => JSON.parse(event.slice("data: ".length)));
    };
    const all = await figuresOf("");
    expect(all.at(-1)).toBeNull();
    expect(all.slice(0, -1).map((figure) => figure!.name)).toContain("test-error");
    const some = await figuresOf("alpha=100,0.01");
    const svg = (figures: typeof all) => figures.find((figure) => figure?.name === "test-error")!.svg;
    expect(svg(all)).toMatch(/0\.1</);
    expect(svg(some)).not.toMatch(/= 0\.1</);
    const none = await ask("study/figures", { study: FLOW, filter: "seed=7" });
    expect((await none.json()).error).toBe("no finished run passes the filter: choose less");
  });

  it("show published values where the report does, and nowhere else", async () => {
    const names = async (study: string) =>
      (await (await ask("study/tables", { study })).json()).flatMap(
        (table: { columns: { csv: string[] }[] }) => table.columns.flatMap(({ csv }) => csv),
      );
    expect(await names("remedies")).toContain("source");
    expect(await names(FLOW)).not.toContain("source");
  });

  it("make a document in which nothing runs, without writing it", async () => {
    const answer = await ask("study/report", { study: FLOW });
    expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
    expect(await answer.text()).toMatch(/^<!DOCTYPE html>/);
    expect(readdirSync(path(FLOW))).not.toContain("report.html");
    expect((await ask("study/report", { study: FLOW, saved: "yes" })).status).toBe(400);
  });

  it("are written by a POST of JSON alone, and only below the folder", async () => {
    cpSync(path(FLOW), path("written"), { recursive: true });
    const post = (study: unknown, type = "application/json") =>
      ask(
        "study/write-report",
        {},
        { method: "POST", headers: { "content-type": type }, body: JSON.stringify({ study }) },
      );
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
      expect((await post("written", type)).status, type).toBe(415);
    expect((await ask("study/write-report", { study: "written" })).status).toBe(404);
    expect((await post(7)).status).toBe(400);
    for (const study of ["..", "link", "../outside/flow"])
      expect((await post(study)).status, study).toBe(400);
    expect(readdirSync(path("written"))).not.toContain("report.html");
    expect(readdirSync(join(folder, "outside", "flow"))).not.toContain("report.html");
    const answer = await post("written");
    expect(await answer.json()).toEqual({ files: expect.any(Number), notices: [] });
    expect(readdirSync(path("written"))).toEqual(
      expect.arrayContaining(["report.html", "figures", "tables"]),
    );
    const saved = await ask("study/report", { study: "written", saved: "yes" });
    expect(await saved.text()).toBe(readFileSync(path("written", "report.html"), "utf8"));
  });
});
