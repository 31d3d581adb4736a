import { afterEach, describe, expect, it } from "vitest";
import type { Backend } from "../../../src/engine/backend.js";
import { onnxBackend } from "../../../src/engine/onnx/onnx-backend.js";
import { federate } from "../../../src/federation/federation.js";
import { prepareData } from "../../../src/federation/prepared-data.js";
import { runOptions } from "../../../src/federation/run-options.js";
import { train } from "../../../src/federation/trainer.js";
import { settingsOf } from "../../../src/studio/address.js";
import { generatedData } from "../../../src/studio/lab/generated-data.js";
import { lendData } from "../../../src/studio/lab/lent-data.js";
import { givenRun } from "../../../src/studio/training/given-run.js";
import { openTrainer } from "../../../src/studio/training/open-trainer.js";
import { parseRuns } from "../../../src/studio/training/run-list.js";
import type { Lap, Trainer, TrainingEvent, TrainingRequest } from "../../../src/studio/training/trainer.js";

const SMALL = "train_samples=120&test_samples=24&min_size=4&clients=5&bins=4&local_steps=2&batch=8";

/** What is to be trained for an address, and the data that the lab would lend. */
function requested(address: string) {
  const { settings } = settingsOf(`${SMALL}&${address}`);
  const { task, data_seed: seed, train_samples: train, test_samples: test, parameters } = settings;
  const data = generatedData({ task, seed, train, test, parameters: parameters as Record<string, number> });
  const { origin, description, coordinates, responseAxes } = data;
  const request: TrainingRequest = {
    settings,
    runs: parseRuns(settings.runs),
    data: { origin, description, coordinates, responseAxes },
  };
  return { request, lent: lendData(data) };
}

const open: Trainer[] = [];
afterEach(async () => {
  for (const trainer of open.splice(0)) await trainer.close();
});

/** A trainer with the runs of an address, and all that it said. */
async function opened(address: string, backend: Backend = onnxBackend) {
  const trainer = openTrainer(async () => backend);
  open.push(trainer);
  const events: TrainingEvent[] = [];
  const { request, lent } = requested(address);
  let ended = (_: TrainingEvent) => {};
  const end = new Promise<TrainingEvent>((resolve) => {
    ended = resolve;
  });
  const facts = await trainer.open(request, lent, (event) => {
    events.push(structuredClone(event));
    if (event.kind === "ended") ended(event);
  });
  const laps = () => events.flatMap((event) => (event.kind === "rounds" ? event.laps : [])) as readonly Lap[];
  const round = () => events.reduce((last, event) => (event.kind === "rounds" ? event.round : last), 0);
  return { trainer, request, facts, events, laps, round, end };
}

describe("a run of the page", () => {
  it.each([
    ["alpha=0.1", ""],
    ["strategy=fedprox,mu=0.5", "seed=7"],
    ["strategy=scaffold,participation=0.6", ""],
    ["partitioner=shards,shards=2,optimizer=sgd,rate=0.05", ""],
    ["strategy=ditto,local_steps=3", "bins=3"],
    ["partitioner=by,by=input-rms,strictness=0.5", ""],
    [
      "model.width=4,model.modes=3,normalise=channels",
      "task=darcy&parameters.grid=16&train_samples=40&test_samples=8&min_size=2",
    ],
  ])("has the clients and the errors that the command has: %s %s", async (run, others) => {
    const { trainer, request, laps, end } = await opened(`runs=${run}&rounds=3&${others}`);
    await trainer.play(3);
    await end;
    const options = runOptions({
      ...givenRun(request.settings, request.runs[0], request.data),
      checkpoints: [0, 3],
    });
    const problem = await federate(await prepareData(options), options);
    const { checkpoints } = await train(problem, options, { backend: onnxBackend });
    const [start, last] = checkpoints;
    const points = laps().map((lap) => ({ round: lap.round, ...lap.runs[0]! }));
    expect(points[0]).toMatchObject({ round: 0, testError: start.testError, trainLoss: start.trainLoss });
    expect(points.at(-1)).toMatchObject({
      round: 3,
      testError: last.testError,
      trainLoss: last.trainLoss,
      dLoc: last.localDispersion,
      clientWorst: Math.max(...last.clients.testErrors),
    });
  });

  it("comes out the same beside others, with pauses and steps between", async () => {
    const alone = await opened("runs=alpha=0.1&rounds=8");
    await alone.trainer.play(8);
    await alone.end;
    const beside = await opened("runs=alpha=100;alpha=0.1&rounds=8");
    await beside.trainer.step();
    await beside.trainer.play(6);
    await beside.trainer.pause();
    await beside.trainer.step();
    await beside.trainer.play(8);
    await beside.end;
    const [expected, actual] = [alone.laps().at(-1)!.runs[0]!, beside.laps().at(-1)!.runs[1]!];
    expect(actual).toEqual({ ...expected, dTheta: actual.dTheta });
    expect(actual.dTheta).toBeGreaterThan(0);
    expect(expected.dTheta).toBeNaN(); // the reference of all others
  });

  it("tells what its clients are before the first round", async () => {
    const { facts, laps } = await opened("runs=alpha=100;alpha=0.01");
    expect(facts.map(({ clients }) => clients)).toEqual([5, 5]);
    expect(facts[0].dSol).toBeLessThan(facts[1].dSol);
    expect(facts[0].gradientDissimilarity).toBeLessThan(facts[1].gradientDissimilarity);
    const [{ round, runs }] = laps();
    expect(round).toBe(0);
    expect(runs[0]!.testError).toBe(runs[1]!.testError); // all runs of a seed start from one model
  });
});

describe("the trainer", () => {
  it("does one round for a step, and none while it is paused", async () => {
    const { trainer, round } = await opened("runs=alpha=1");
    await trainer.step();
    expect(round()).toBe(1);
    await trainer.step();
    expect(round()).toBe(2);
    await trainer.play(1000);
    await trainer.pause();
    const paused = round();
    expect(paused).toBeGreaterThan(2);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(round()).toBe(paused);
    await trainer.step();
    expect(round()).toBe(paused + 1);
  });

  it("goes on where it ended, if more rounds are wanted", async () => {
    const { trainer, round, events, end } = await opened("runs=alpha=1");
    await trainer.play(3);
    await end;
    expect(round()).toBe(3);
    await trainer.play(3);
    expect(events.filter(({ kind }) => kind === "ended")).toHaveLength(1);
    await trainer.play(5);
    await expect.poll(round).toBe(5);
  });

  it("holds a long round between two programs, and goes on to the same bits", async () => {
    let delay = 0;
    let running = 0;
    /** Programs as slow as those of a large model. */
    const slow: Backend = {
      ...onnxBackend,
      async compile(program, options) {
        const executable = await onnxBackend.compile(program, options);
        return {
          run: async (inputs, wanted) => {
            running++;
            await new Promise((resolve) => setTimeout(resolve, delay));
            const found = await executable.run(inputs, wanted);
            running--;
            return found;
          },
          read: (name) => executable.read(name),
          write: (name, values) => executable.write(name, values),
          close: () => executable.close(),
        };
      },
    };
    const runs = "runs=alpha=1;alpha=0.1;alpha=0.01&rounds=4";
    const { trainer, laps, round, end } = await opened(runs, slow);
    delay = 100;
    await trainer.step(); // a round of 300 ms or more: a pause does not wait for its end
    await trainer.play(4);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await trainer.pause();
    expect(running).toBe(0);
    expect(round()).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect([running, round()]).toEqual([0, 1]);
    delay = 0;
    await trainer.step(); // ends the round that was held
    expect(round()).toBe(2);
    await trainer.play(4);
    await end;
    const plain = await opened(runs);
    await plain.trainer.play(4);
    await plain.end;
    expect(laps().at(-1)).toEqual(plain.laps().at(-1));
  });

  it("predicts a test sample in the units of the data, and shows another one while it is paused", async () => {
    const { trainer, request, events, laps, end } = await opened(
      "runs=alpha=1;alpha=0.1&rounds=2&training.normalise=standard",
    );
    await trainer.show({ run: 1, sample: 0 });
    await trainer.play(2);
    await end;
    const pictures = () => events.flatMap((event) => (event.kind === "picture" ? [event.picture] : []));
    let [squares, norms] = [0, 0];
    for (let sample = 0; sample < request.data.description.test; sample++) {
      await trainer.show({ run: 1, sample });
      const { prediction, truth, ...rest } = pictures().at(-1)!;
      expect(rest).toMatchObject({ run: 1, sample, round: 2 });
      truth.forEach((value, i) => {
        squares += (prediction[i] - value) ** 2;
        norms += value ** 2;
      });
    }
    expect(Math.sqrt(squares / norms)).toBeCloseTo(laps().at(-1)!.runs[1]!.testError, 5);
  });

  it("draws an arrow for every client that took part, and none where clients do not train", async () => {
    const { trainer, events } = await opened("runs=alpha=1;participation=0.6;strategy=centralised");
    await trainer.step();
    const [{ runs }] = events.flatMap((event) => (event.kind === "arrows" ? [event.arrows] : []));
    expect(runs[0]!.clients).toEqual([0, 1, 2, 3, 4]);
    expect(runs[1]!.clients).toHaveLength(3);
    expect(runs[1]!.arrows).toHaveLength(6);
    expect(runs[2]).toBeUndefined();
  });

  it("leaves out a run that diverges, and trains the others on", async () => {
    const { trainer, laps, end } = await opened("runs=alpha=1;optimizer=sgd,rate=900&rounds=6");
    await trainer.play(6);
    await end;
    const { round, runs } = laps().at(-1)!;
    expect(round).toBe(6);
    expect(runs[0]!.testError).toBeLessThan(2);
    expect(runs[1]).toBeUndefined();
  });

  it("stops at once, whatever it does, and can be opened again", async () => {
    const { trainer, request } = await opened("runs=alpha=1");
    await trainer.play(100_000);
    await trainer.close();
    await expect(trainer.step()).rejects.toThrow("there are no runs yet: press Start");
    const { lent } = requested("runs=alpha=1");
    expect(await trainer.open(request, lent, () => {})).toHaveLength(1);
  });

  it("says in one line which run cannot be, before it trains any", async () => {
    const trainer = openTrainer(async () => onnxBackend);
    const fails = async (address: string) => {
      const { request, lent } = requested(address);
      const planned = await trainer.plan(request);
      const refused = await trainer.open(request, lent, () => {}).catch((error: Error) => error.message);
      return { planned: planned.map((one) => (typeof one === "string" ? one : "fine")), refused };
    };
    expect(await fails("runs=alpha=1;strategy=scaffold,local=branch.*")).toEqual({
      planned: ["fine", expect.stringMatching(/^scaffold corrects all parameters/)],
      refused: expect.stringMatching(/^run 2: scaffold corrects all parameters/),
    });
    expect((await fails("runs=partitioner=iid,alpha=1")).refused).toBe(
      "the partitioner iid has no concentration: leave out alpha",
    );
    expect((await fails("runs=mu=1")).refused).toMatch(/^fedavg has no option "mu"/);
    expect((await fails("runs=min_size=100")).refused).toMatch(/120 samples cannot give 5 clients/);
  });

  it("says what runs will be without data: model, batch, and about how long a round takes", async () => {
    const trainer = openTrainer(async () => onnxBackend);
    const plan = async (address: string) => (await trainer.plan(requested(address).request))[0];
    expect(await plan("runs=alpha=1")).toMatchObject({
      model: "DeepONet, width 40, depth 2",
      parameters: 7401,
      batch: 8,
      isSmaller: false,
    });
    const darcy =
      "task=darcy&train_samples=20&test_samples=5&parameters.grid=16&min_size=1&batch=0&runs=as-set";
    const [light, usual] = [await plan(darcy), await plan(`${darcy}&size=usual`)];
    expect(light).toMatchObject({ batch: 4, isSmaller: true });
    expect(usual).toMatchObject({ batch: 16, isSmaller: false });
    if (typeof light === "string" || typeof usual === "string") throw new Error("no plan");
    expect(usual.seconds / light.seconds).toBeGreaterThan(5);
  });
});
