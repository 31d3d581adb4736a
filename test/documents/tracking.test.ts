import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT_COLUMNS } from "../../src/records/client-columns.js";
import { checkpointMetrics, MOST_SINGLE } from "../../src/tracking/checkpoint-metrics.js";
import { TRACKERS } from "../../src/tracking/trackers.js";
import { tableRows } from "./markdown.js";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/tracking.md"), "utf8");

describe("the page on tracking", () => {
  it("names every tracker as it is asked for", () => {
    const rows = tableRows(PAGE).filter((row) => "Tracker" in row);
    expect(rows.map(({ Tracker }) => Tracker)).toEqual(Object.values(TRACKERS).map(({ title }) => title));
    for (const name of Object.keys(TRACKERS))
      expect(rows.some((row) => row["`--track`"].includes(`\`${name}`))).toBe(true);
  });

  it("names every metric of a checkpoint, and up to how many clients are logged alone", () => {
    const each = [0.1, 0.2];
    const clients = { test_error: each, train_loss: each, update: each, cosine: each };
    const line = {
      round: 1,
      test_error: 1,
      train_loss: 1,
      h_g_norm: 1,
      d_loc: 1,
      clients,
      bins: { test_error: each },
    };
    const metrics = Object.keys(checkpointMetrics(line, 1)).filter((name) => !name.endsWith("/1"));
    // Columns of clients are named by example.
    const columns: readonly string[] = CLIENT_COLUMNS;
    for (const name of metrics.filter((one) => !columns.includes(one))) expect(PAGE).toContain(`\`${name}\``);
    for (const [, name] of PAGE.matchAll(/`(client_\w+_(?:mean|worst|spread))`/g))
      expect(columns).toContain(name);
    expect(PAGE).toContain(`up to ${MOST_SINGLE} of each`);
  });
});
