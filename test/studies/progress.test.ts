import { describe, expect, it } from "vitest";
import type { TaskName } from "../../src/datasets/tasks.js";
import { runOptions } from "../../src/federation/run-options.js";
import { StudyClock } from "../../src/studies/progress.js";

const run = (id: string, task: TaskName = "antiderivative") => ({
  id,
  reference: id,
  options: runOptions({ task, alpha: 1, seed: 0, rounds: 100 }),
});

describe("the clock of a study", () => {
  it("reckons the time left from rounds that were seen", () => {
    let time = 0;
    const runs = [run("a"), run("b"), run("c")];
    const clock = new StudyClock(runs, () => time);
    expect(clock.progress()).toEqual({ finished: 0, runs: 3, done: 0 });
    time = 50; // reading data; not counted
    clock.reach(runs[0], 10);
    time = 60;
    clock.reach(runs[0], 30); // half a second a round
    const { done, left } = clock.progress();
    expect(done).toBeCloseTo(30 / 300, 12);
    expect(left).toBeCloseTo(270 * 0.5, 12);
    clock.finish(runs[0]);
    expect(clock.progress()).toMatchObject({ finished: 1, left: 100 });
  });

  it("takes as many runs to go on at once as have so far, whichever part of a batch that is", () => {
    let time = 0;
    const runs = Array.from({ length: 6 }, (_, i) => run(`${i}`));
    const clock = new StudyClock(runs, () => time);
    for (const some of [runs.slice(0, 2), runs.slice(2, 4)]) {
      for (let round = 0; round <= 100; round += 10) {
        for (const one of some) clock.reach(one, round);
        time += 5;
      }
      for (const one of some) clock.finish(one);
      time += 1000; // nobody is trained: not counted
    }
    expect(clock.progress().left).toBeCloseTo(50, 9); // as each of the two parts before
  });

  it("says nothing of the time left while the first rounds may still have waited for their program", () => {
    let time = 0;
    const runs = Array.from({ length: 4 }, (_, i) => run(`${i}`));
    const clock = new StudyClock(runs, () => time);
    clock.reach(runs[0], 0);
    time = 70;
    clock.reach(runs[0], 1);
    expect(clock.progress().left).toBeUndefined();
    time = 71;
    clock.reach(runs[0], 40);
    expect(clock.progress().left).toBeCloseTo((360 * 71) / 40, 9);
  });

  it("takes a task not seen yet to need as long for a number as others of its model", () => {
    let time = 0;
    const runs = [run("a", "burgers"), run("b", "antiderivative"), run("c", "diffusion-reaction")];
    const clock = new StudyClock(runs, () => time);
    clock.reach(runs[0], 0);
    time = 102.01;
    clock.reach(runs[0], 100); // 101 x 101 points: 100 s for a million
    expect(clock.progress().left).toBeCloseTo(1 + 102.01, 9); // 100 points, and 101 x 101 again
    clock.reach(runs[1], 0);
    time = 105.01;
    clock.reach(runs[1], 100); // three times as slow as that
    expect(clock.progress().left).toBeCloseTo((102.01 * (1 + 3)) / 2, 9);
    expect(clock.progress().done).toBeCloseTo(105.01 / (105.01 + 204.02), 12);
    clock.reach(runs[2], 0);
    time = 111.01;
    clock.reach(runs[2], 10); // seen: no guess any more
    expect(clock.progress().left).toBeCloseTo(90 * 0.6, 9);
  });

  it("takes a model not seen yet for the mean of the others", () => {
    let time = 0;
    const runs = [run("a"), run("b", "flat-velocity")];
    const clock = new StudyClock(runs, () => time);
    clock.reach(runs[0], 0);
    time = 10;
    clock.reach(runs[0], 100);
    expect(clock.progress().left).toBeCloseTo(10, 12);
  });

  it("guesses for data of a file, which does not say all that a simulation does", () => {
    let time = 0;
    const imported = (id: string, clients: number) => {
      const one = run(id, "flat-velocity");
      const data = { sha256: "0".repeat(64) } as never;
      return { ...one, options: { ...one.options, clients, parameters: {}, data } };
    };
    const runs = [imported("a", 10), imported("b", 20)];
    const clock = new StudyClock(runs, () => time);
    clock.reach(runs[0], 0);
    time = 10;
    clock.reach(runs[0], 100);
    expect(clock.progress().left).toBeCloseTo(20, 9);
  });

  it("is done when all runs are finished", () => {
    const clock = new StudyClock([run("a")]);
    clock.finish(run("a"));
    expect(clock.progress()).toMatchObject({ finished: 1, done: 1 });
  });
});
