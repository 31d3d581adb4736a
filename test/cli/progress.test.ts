import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { duration, startProgress } from "../../src/cli/progress.js";

describe("progress elsewhere than on a terminal", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const shown = (...updates: Parameters<ReturnType<typeof startProgress>["update"]>[]) => {
    const lines: string[] = [];
    const stream = { isTTY: false, write: (line: string) => lines.push(line) };
    const progress = startProgress("Work", { stream: stream as unknown as NodeJS.WriteStream });
    for (const update of updates) {
      vi.advanceTimersByTime(10_000);
      progress.update(...update);
    }
    return lines;
  };

  it("reckons the time left from what is done, unless it is told", () => {
    expect(shown([1, 4], [2, 4, { left: 3 }])).toEqual([
      "Work: 25 %, 30 s left\n",
      "Work: 50 %, 3.0 s left\n",
    ]);
  });

  it("says nothing of it where nothing is done, or it is said to be unknown", () => {
    expect(shown([0, 4], [0.001, 1, { left: "unknown", detail: "0 of 25 runs finished" }])).toEqual([
      "Work: 0 %\n",
      "Work: 0 %, 0 of 25 runs finished\n",
    ]);
  });

  it("shows a line every five seconds at most", () => {
    const lines: string[] = [];
    const stream = { isTTY: false, write: (line: string) => lines.push(line) };
    const progress = startProgress("Work", { stream: stream as unknown as NodeJS.WriteStream });
    for (let done = 1; done <= 20; done++) {
      vi.advanceTimersByTime(1000);
      progress.update(done, 20);
    }
    expect(lines).toHaveLength(4);
  });
});

describe("a duration", () => {
  it("is told in tenths of seconds, in seconds, or in minutes and seconds", () => {
    expect([0.42, 9.96, 99.4, 200].map(duration)).toEqual(["0.4 s", "10 s", "99 s", "3 min 20 s"]);
  });
});
