import { describe, expect, it } from "vitest";
import { participants } from "../../../src/federation/participation/participants.js";
import type { GivenRunOptions } from "../../../src/federation/run-options.js";
import { clientVector, initialState } from "../../../src/federation/trainer-state.js";
import { TWO_CLIENTS } from "./golden-vectors.js";
import { exactRounds, firstState, runRounds, waysOf } from "./quadratic-rounds.js";
import { quadraticOptions, quadratics } from "./quadratics.js";

/** Mistakes that published code of these algorithms had. Each test fails where ours has it too. */

type Given = Partial<GivenRunOptions>;
const problem = quadratics(TWO_CLIENTS, [2]);
const SCAFFOLD_I: Given = { strategy: { name: "scaffold" } };
const SCAFFOLD_II: Given = { strategy: { name: "scaffold", control: "II" } };
const both = [
  ["I", SCAFFOLD_I],
  ["II", SCAFFOLD_II],
] as const;
const rounds = (more: Given, of = problem) => exactRounds(of, quadraticOptions(more));
const ends = async (more: Given, of = problem) => (await rounds(more, of)).at(-1)!;

describe.each(both)("SCAFFOLD %s", (control, scaffold) => {
  // FedLab looked for gradients where there are none, and corrected nothing.
  it.each(waysOf(problem, quadraticOptions()))(
    "does not forget to apply its correction: each step of a client moves by -rate (c - c_k) more, %s",
    async (way) => {
      const given = quadraticOptions({ ...scaffold, rounds: 2 });
      const [{ server, clients }, { server: corrected }] = await runRounds(problem, given, way);
      const [, { server: plain }] = await runRounds(problem, quadraticOptions({ rounds: 2 }), way);
      const [one, other] = clients.control.map(([own]) => server.control[0] - own);
      expect(one).toBeGreaterThan(10);
      // Of the first correction the second step leaves 3/4 with client 1 and 1/2 with client 2.
      const moved = -(0.25 * (1.75 * one) * 1) / 4 - (0.25 * (1.5 * other) * 3) / 4;
      expect(corrected.parameters[0] - plain.parameters[0]).toBeCloseTo(moved, 4);
    },
  );

  // FL-bench never wrote a client's control back, so that all stayed zero.
  it("does not leave the clients' controls at zero: each is written back and used in the next round", async () => {
    const [first, second] = await rounds({ ...scaffold, rounds: 2 });
    for (const [k, [own]] of first.clients.control.entries()) {
      expect(own).not.toBe(0);
      expect(second.clients.control[k][0]).not.toBe(own);
    }
  });

  // Flower's baseline took the model's weights as the first controls; NIID-Bench took random numbers.
  it("does not start from controls that are weights or random numbers: all are zero", () => {
    const options = quadraticOptions({ ...scaffold, participation: 0.5 });
    const start = initialState(problem, options);
    const { server } = start;
    expect(Array.from(server.parameters)).toEqual([2]);
    expect(Array.from(server.control)).toEqual([0]);
    for (const client of [0, 1]) expect(Array.from(clientVector(start, "control", client))).toEqual([0]);
  });

  it("does not start a client that takes part for the first time late from anything but zero", async () => {
    const options = quadraticOptions({ ...scaffold, participation: 0.5, rounds: 6 });
    const states = await exactRounds(problem, options);
    const started = states.findIndex(({ present }) => present[0].client !== states[0].present[0].client);
    const late = states[started].present[0].client;
    expect(started).toBeGreaterThan(0);
    for (const { clients } of states.slice(0, started)) expect(clients.control[late]).toEqual([0]);
  });

  // NIID-Bench divided by the participants, PFLlib had another K.
  it("does not divide the sum of changes by the participants: of four clients c takes a quarter of one", async () => {
    const four = quadratics(
      [1, 1, 1, 1].map((a, k) => ({ a: [a], b: [k], samples: 2 })),
      [5],
    );
    const options = quadraticOptions({ ...scaffold, participation: 0.25, rounds: 1, weights: "uniform" });
    const [{ server, clients, present }] = await exactRounds(four, options);
    expect(present).toHaveLength(1);
    expect(server.control[0]).toBeCloseTo(clients.control[present[0].client][0] / 4, 12);
  });

  // plato sent the new controls where their changes belong, so that c grew in every round.
  it("does not add whole controls to the server's in every round, only their changes", async () => {
    const states = await rounds({ ...scaffold, rounds: 8 });
    for (const { server, clients } of states)
      expect(server.control[0]).toBeCloseTo(clients.control[0][0] / 4 + (3 * clients.control[1][0]) / 4, 10);
  });

  // The baseline of Flower weighed changes by samples where the average did not; here both have the same weights.
  it("does not weigh controls other than parameters: by samples 4, uniformly -8", async () => {
    const [bySize] = await rounds({ ...scaffold, rounds: 1, localSteps: 1 });
    const [alike] = await rounds({ ...scaffold, rounds: 1, localSteps: 1, weights: "uniform" });
    expect(bySize.server.control[0]).toBeCloseTo(4, 12);
    expect(alike.server.control[0]).toBeCloseTo(-8, 12);
  });

  // PFLlib's loss exploded.
  it("does not explode on losses on which plain descent converges", async () => {
    for (const { server, clients } of await rounds({ ...scaffold, rounds: 200, localSteps: 5 })) {
      expect(Math.abs(server.parameters[0])).toBeLessThan(30);
      for (const [own] of clients.control) expect(Math.abs(own)).toBeLessThan(100);
    }
  });

  it(`does not move the controls of clients that stay away or leave, ${control}`, async () => {
    const three = quadratics([...TWO_CLIENTS, { a: [1], b: [9], samples: 2 }], [2]);
    const options = quadraticOptions({ ...scaffold, participation: 2, dropout: 0.5, rounds: 12 });
    let before = firstState(three, options).clients.control;
    let left = 0;
    for (const { clients, present } of await exactRounds(three, options)) {
      const arrived = present.filter(({ share }) => share > 0).map(({ client }) => client);
      left += present.length - arrived.length;
      for (const [k, own] of clients.control.entries())
        if (!arrived.includes(k)) expect(own).toEqual(before[k]);
        else expect(own).not.toEqual(before[k]);
      before = clients.control;
    }
    expect(left).toBeGreaterThan(0);
  });
});

describe("SCAFFOLD II", () => {
  // FL4Health counted samples as steps; plato divided by epochs in place of rate and steps.
  it("does not count samples or epochs as steps: its controls are means of gradients whatever batch, rate and epochs", async () => {
    /** The mean gradient of a client along its own path from 2, by the definition. */
    const mean = ({ a: [a], b: [b] }: (typeof TWO_CLIENTS)[number], steps: number, rate: number) => {
      let [w, total] = [2, 0];
      for (let step = 0; step < steps; step++) {
        total += a * (w - b);
        w -= rate * a * (w - b);
      }
      return total / steps;
    };
    for (const rate of [0.25, 0.01])
      for (const batch of [1, 2, 3, 50])
        for (const [more, stepsOf] of [
          [{ localSteps: 4 }, () => 4],
          [{ localEpochs: 2 }, (samples: number) => 2 * Math.ceil(samples / Math.min(batch, samples))],
        ] as const) {
          const given = { ...SCAFFOLD_II, ...more, batch, rounds: 1 };
          const [{ clients }] = await rounds({ ...given, optimizer: { name: "sgd", rate, momentum: 0 } });
          for (const [k, client] of TWO_CLIENTS.entries())
            expect(clients.control[k][0]).toBeCloseTo(mean(client, stepsOf(client.samples), rate), 7);
        }
  });

  it("does not read gradients off Adam's steps, which are no multiples of them", () => {
    expect(() => quadraticOptions({ ...SCAFFOLD_II, optimizer: { name: "adam" } })).toThrow(
      "adam divides gradients by their size",
    );
  });

  it("does not take momentum for plain steps: kept momentum of 0.9 makes five of them count up to 50 times", async () => {
    // A gradient of -1 everywhere: far from the minimum of a flat parabola.
    const flat = quadratics([{ a: [2 ** -20], b: [2 ** 20], samples: 1 }], [0]);
    const given = { ...SCAFFOLD_II, localSteps: 5, rounds: 60 };
    const states = await rounds({ ...given, optimizer: { name: "sgd", rate: 0.01, momentum: 0.9 } }, flat);
    for (const { clients } of states) expect(clients.control[0][0]).toBeCloseTo(-1, 3);
    const last = states.at(-1)!.server.parameters[0] - states.at(-2)!.server.parameters[0];
    expect(last / 0.01).toBeCloseTo(50, 1);
  });
});

describe("SCAFFOLD with Adam", () => {
  it("does not correct steps after Adam's moments: a correction that turns the gradient turns the whole step", async () => {
    // Client 1 has the gradient 1 at x = 0 and the control 4 of an earlier round: it follows 1 + 0 - 4 = -3.
    const one = quadratics([{ a: [1], b: [-1], samples: 1 }], [0]);
    const options = quadraticOptions({
      ...{ ...SCAFFOLD_I, rounds: 1, localSteps: 1, optimizer: { name: "adam", rate: 0.01 } },
    });
    const [{ server }] = await exactRounds(one, options, {
      server: { parameters: [0], control: [0] },
      clients: { control: [[4]], first: [[0]], second: [[0]] },
    });
    expect(server.parameters[0]).toBeCloseTo(0.01, 8);
  });
});

describe("FedProx", () => {
  /** Two weights whose own gradient is zero where they start, 3 and 4 away from the server. */
  const pulled = async (more: Given) => {
    const flat = quadratics([{ a: [1, 1], b: [13, 24], samples: 1 }], [10, 20]);
    return ends({ ...more, rounds: 1, optimizer: { name: "sgd", rate: 0.1, momentum: 0 } }, flat);
  };

  // Flower's documentation had the norm where its square belongs.
  it("does not pull by the norm of the distance: the gradient mu (w - x) grows with it, also in one of two weights", async () => {
    // Step 1: 10 + 0.3, 20 + 0.4. Step 2: 0.27 - 0.5 * 0.03 and 0.36 - 0.5 * 0.04 more. A unit vector would pull by 0.6, 0.8.
    const { server } = await pulled({ strategy: { name: "fedprox", mu: 0.5 } });
    expect(server.parameters[0]).toBeCloseTo(10.3 + 0.27 - 0.015, 12);
    expect(server.parameters[1]).toBeCloseTo(20.4 + 0.36 - 0.02, 12);
  });

  it("does not pull twice as far as the gradient of mu / 2 |w - x|^2", async () => {
    const { server } = await pulled({ strategy: { name: "fedprox", mu: 1 } });
    expect(server.parameters[0]).toBeCloseTo(10.3 + 0.27 - 0.03, 12);
  });

  it("does not pull towards zero or towards the last step, but towards the server's parameters of the round", async () => {
    // Held firmly by mu = 8 at the rate 0.1, three steps stay near 10 and 20.
    const { server } = await pulled({ strategy: { name: "fedprox", mu: 8 }, localSteps: 60 });
    // They end where (w - 13) + 8 (w - 10) = 0.
    expect(server.parameters[0]).toBeCloseTo(93 / 9, 10);
    expect(server.parameters[1]).toBeCloseTo((24 + 160) / 9, 10);
  });

  it("does not divide the pull by Adam's moments in the decoupled form", async () => {
    const flat = quadratics([{ a: [1], b: [1000], samples: 1 }], [0]);
    const given = { rounds: 1, localSteps: 2, optimizer: { name: "adam", rate: 0.01 } };
    const strategy = { name: "fedprox", mu: 20, proximal: "decoupled" };
    const [plain, held] = await Promise.all([ends(given, flat), ends({ ...given, strategy }, flat)]);
    // Two steps of 0.01; the pull of the second is 0.01 * 20 * 0.01.
    expect(plain.server.parameters[0]).toBeCloseTo(0.02, 6);
    expect(held.server.parameters[0]).toBeCloseTo(0.018, 6);
  });
});

describe("an adaptive server", () => {
  const fedadam = { name: "fedadam", server_rate: 1, server_beta1: 0.5, server_beta2: 0.75, tau: 0.5 };

  // Flower had the first moment where the step of the round belongs.
  it.each([
    ["fedadagrad", 1],
    ["fedadam", 0.25],
    ["fedyogi", 0.25],
  ])("does not square its first moment for the second: %s squares Delta = -1", async (name, second) => {
    const { server_beta2, ...values } = fedadam;
    const given = name === "fedadagrad" ? { ...values, name } : { ...fedadam, name };
    const [{ server }] = await rounds({ strategy: given, rounds: 1 });
    expect(server.first[0]).toBeCloseTo(-0.5, 12);
    expect(server.second[0]).toBeCloseTo(second, 12);
  });

  it.each(["fedadam", "fedyogi"])("does not correct its bias unless it is told to: %s", async (name) => {
    const options = quadraticOptions({ strategy: { name } });
    expect(options.strategy).toMatchObject({ bias_correction: false });
    const [{ server }] = await rounds({ strategy: { ...fedadam, name }, rounds: 1 });
    expect(server.parameters[0]).toBeCloseTo(2 - 0.5 / (0.5 + 0.5), 12);
  });

  // Flower's exponent was the round plus one, where rounds start at 1.
  it.each(["fedadam", "fedyogi"])(
    "does not start its bias correction at the exponent 2 or 0: in round 1 both moments are those of the step, %s",
    async (name) => {
      const strategy = { ...fedadam, name, bias_correction: true };
      const [{ server }] = await rounds({ strategy, rounds: 1 });
      expect(server.parameters[0]).toBeCloseTo(2 - 1 / (1 + 0.5), 12);
    },
  );

  it("does not add tau under the root", async () => {
    const [{ server }] = await rounds({ strategy: { ...fedadam, tau: 100 }, rounds: 1 });
    expect(server.parameters[0]).toBeCloseTo(2 - 0.5 / (0.5 + 100), 12);
  });

  it("does not step against the clients: it moves to where they went", async () => {
    for (const name of ["fedavgm", "fedadagrad", "fedadam", "fedyogi"]) {
      const { server } = await ends({ strategy: { name, server_rate: 0.01 }, rounds: 1 });
      expect(server.parameters[0]).toBeLessThan(2);
    }
  });
});

describe("FedAvgM", () => {
  // FL-bench has Nesterov's momentum under this name.
  it("does not look ahead: its first step is rate Delta, and not rate (1 + beta) Delta", async () => {
    const strategy = { name: "fedavgm", server_rate: 0.5, server_momentum: 0.9 };
    const { server } = await ends({ strategy, rounds: 1 });
    expect(server.parameters[0]).toBeCloseTo(1.5, 12);
  });

  it("does not shrink new steps by 1 - beta: steady steps add up to rate / (1 - beta) of them", async () => {
    // One client with a gradient of -1 everywhere proposes a step of 0.5 each round.
    const flat = quadratics([{ a: [2 ** -20], b: [2 ** 20], samples: 1 }], [0]);
    const strategy = { name: "fedavgm", server_rate: 0.1, server_momentum: 0.8 };
    const states = await rounds({ strategy, rounds: 80 }, flat);
    const last = states.at(-1)!.server.parameters[0] - states.at(-2)!.server.parameters[0];
    expect(last).toBeCloseTo((0.1 / (1 - 0.8)) * 0.5, 3);
  });
});

describe("FedNova", () => {
  it("does not let a client count more because it takes more steps", async () => {
    // Gradients of -1 and 1 everywhere: one step and nine steps cancel, where FedAvg follows the second client.
    const flat = quadratics(
      [1, -1].map((sign, k) => ({ a: [2 ** -20], b: [sign * 2 ** 20], samples: k === 0 ? 1 : 9 })),
      [0],
    );
    const given = { localEpochs: 1, weights: "uniform", rounds: 1 } as const;
    const [nova, plain] = [
      await ends({ ...given, strategy: { name: "fednova" } }, flat),
      await ends(given, flat),
    ];
    expect(nova.server.parameters[0]).toBeCloseTo(0, 4);
    expect(plain.server.parameters[0]).toBeCloseTo((0.25 - 9 * 0.25) / 2, 4);
  });
});

describe("Ditto", () => {
  // FedLab had 0.1 whatever it was told.
  it("does not have a lambda of its own: 0 trains each model alone, and 100 ties it to the server's", async () => {
    const small = { optimizer: { name: "sgd", rate: 0.005, momentum: 0 }, localSteps: 200, rounds: 1 };
    const personal = async (lambda: number) =>
      (await ends({ ...small, strategy: { name: "ditto", lambda } })).clients.personal.flat();
    const alone = (await ends({ ...small, strategy: { name: "local-only" } })).clients.parameters.flat();
    for (const [k, value] of (await personal(0)).entries()) expect(value).toBeCloseTo(alone[k], 10);
    // They end where a (v - b) + 100 (v - 2) = 0.
    const tied = await personal(100);
    expect(tied[0]).toBeCloseTo((34 + 200) / 101, 8);
    expect(tied[1]).toBeCloseTo((-12 + 200) / 102, 8);
  });

  it("does not send the clients' own models to the server", async () => {
    const [own, plain] = [await rounds({ strategy: { name: "ditto", lambda: 9 } }), await rounds({})];
    expect(own.map(({ server }) => server)).toEqual(plain.map(({ server }) => server));
  });
});

describe("a client that sits out", () => {
  const three = quadratics([...TWO_CLIENTS, { a: [1], b: [50], samples: 2 }], [2]);

  it("does not age: Adam's first step of a client that takes part for the first time in a late round is one rate long", async () => {
    const given = { participation: 0.34, localSteps: 1, rounds: 12, optimizer: { name: "adam", rate: 0.01 } };
    const states = await rounds(given, three);
    const seen = new Set<number>();
    const late: number[] = [];
    for (const [round, { server, present }] of states.entries()) {
      const [{ client, before }] = present;
      const start = round === 0 ? 2 : states[round - 1].server.parameters[0];
      if (!seen.has(client)) {
        expect(before).toBe(0);
        expect(Math.abs(server.parameters[0] - start)).toBeCloseTo(0.01, 8);
        late.push(round);
      }
      seen.add(client);
    }
    expect(late).toHaveLength(3);
    expect(late.at(-1)).toBeGreaterThan(2);
  });

  // FedProx seeds by the round, so that the stragglers of compared methods are the same.
  it("does not depend on the strategy: all have the same participants, leavers and steps", () => {
    const uneven = { participation: 2, dropout: 0.4, localSteps: 6, localStepsMin: 1, rounds: 20 };
    const turnsOf = (more: Given) => {
      const turns = participants(three, quadraticOptions({ ...uneven, ...more }));
      return Array.from({ length: 20 }, (_, round) => turns.of(round));
    };
    const expected = turnsOf({});
    for (const name of [
      "fedprox",
      "scaffold",
      "fednova",
      "fedavgm",
      "fedadagrad",
      "fedadam",
      "fedyogi",
      "ditto",
    ])
      expect(turnsOf({ strategy: { name } })).toEqual(expected);
    expect(turnsOf({ alpha: 0.01 })).toEqual(expected);
    expect(turnsOf({ seed: 6 })).not.toEqual(expected);
  });
});
