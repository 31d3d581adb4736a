import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { maskedCrc32c } from "../../src/tracking/tensorboard/crc32c.js";
import {
  pluginEvent,
  readEvent,
  scalarsEvent,
  sessionEvent,
  versionEvent,
} from "../../src/tracking/tensorboard/events.js";
import {
  endData,
  experimentData,
  HPARAMS,
  readEnd,
  readExperiment,
  START_TAG,
  startData,
} from "../../src/tracking/tensorboard/hparams.js";
import { CUSTOM_SCALARS, LAYOUT_TAG, layoutData } from "../../src/tracking/tensorboard/layout.js";
import { frame, records } from "../../src/tracking/tensorboard/record-file.js";

/** Bytes that TensorBoard's own code wrote (scripts/golden/event-files.py). */
const GOLDEN = JSON.parse(readFileSync(join(import.meta.dirname, "../golden/tracking/events.json"), "utf8"));
const TIME = 1234567890125;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const encoded = (text: string) => new TextEncoder().encode(text);

describe("a record of an event file", () => {
  it.each(Object.entries<number>(GOLDEN.crc))("has the masked checksum of %j", (text, crc) => {
    expect(maskedCrc32c(encoded(text))).toBe(crc);
  });

  it.each(Object.entries<string>(GOLDEN.frame))("has the bytes of TensorBoard around %j", (text, bytes) => {
    expect(hex(frame(encoded(text)))).toBe(bytes);
  });

  it("is read back, up to the first that is half written or damaged", () => {
    const all = ["a", "", "event"].map((text) => frame(encoded(text)));
    const file = Buffer.concat(all);
    const texts = (bytes: Uint8Array) => [...records(bytes)].map((data) => new TextDecoder().decode(data));
    expect(texts(file)).toEqual(["a", "", "event"]);
    for (let length = 0; length < file.length; length++) {
      const whole = [17, 33, 54].filter((end) => end <= length).length;
      expect(texts(file.subarray(0, length)), `${length} bytes`).toHaveLength(whole);
    }
    for (let byte = 0; byte < file.length; byte++) {
      const damaged = Uint8Array.from(file);
      damaged[byte] ^= 4;
      expect(texts(damaged).length, `byte ${byte}`).toBe([17, 33, 54].filter((end) => end <= byte).length);
    }
  });
});

describe("an event", () => {
  it("has the bytes of TensorBoard's own code", () => {
    const metrics = { test_error: 0.25, "client_test_error/0": -1.5 };
    expect(hex(versionEvent(TIME, "pde-dirichlet 0.1.0 onnx"))).toBe(GOLDEN.version);
    expect(hex(scalarsEvent(TIME, 300, metrics))).toBe(GOLDEN.scalars);
    expect(hex(scalarsEvent(TIME, 0, metrics))).toBe(GOLDEN["first scalars"]);
    expect(hex(sessionEvent(TIME, 5))).toBe(GOLDEN.restart);
  });

  it("has the bytes of TensorBoard's plugins for settings, ends and layouts", () => {
    // The entries of a map have no order; this is the one that Python wrote.
    const content = startData({ tf32: true, alpha: 0.1, split: "alpha 0.1" }, TIME);
    expect(hex(content)).toBe(GOLDEN.start);
    expect(hex(pluginEvent(TIME, START_TAG, HPARAMS, { content }))).toBe(GOLDEN["start event"]);
    for (const status of ["finished", "failed", "killed"] as const)
      expect(hex(endData(status, TIME)), status).toBe(GOLDEN.end[status]);
    const columns = new Map([
      ["alpha", { type: 3, differs: true }],
      ["split", { type: 1, differs: false }],
      ["tf32", { type: 2, differs: false }],
    ] as const);
    expect(hex(experimentData("tiny", columns, {}))).toBe(GOLDEN.experiment);
    expect(readExperiment(experimentData("tiny", columns))).toEqual(columns);
    const string = layoutData({ a: { b: ["c"] } });
    expect(hex(string)).toBe(GOLDEN["layout content"]);
    expect(hex(pluginEvent(TIME, LAYOUT_TAG, CUSTOM_SCALARS, { string }))).toBe(GOLDEN["layout event"]);
  });

  it("is read back as far as a run that goes on needs it", () => {
    const scalars = readEvent(scalarsEvent(TIME, 300, { test_error: 0.25 }));
    expect([scalars.step, [...scalars.tags.keys()], scalars.isSessionStart]).toEqual([
      300,
      ["test_error"],
      false,
    ]);
    expect(readEvent(versionEvent(TIME, "somebody")).writer).toBe("somebody");
    expect(readEvent(sessionEvent(TIME, 0)).isSessionStart).toBe(true);
    for (const status of ["finished", "failed", "killed"] as const) {
      const event = pluginEvent(TIME, "end", HPARAMS, { content: endData(status, TIME) });
      expect(readEnd(readEvent(event).tags.get("end")!)).toBe(status);
    }
  });
});
