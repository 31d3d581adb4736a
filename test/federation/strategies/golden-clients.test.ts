import { describe, expect, it } from "vitest";
import { modelsOfState } from "../models-of-state.js";
import { expectRounds, TWO_CLIENTS } from "./golden-vectors.js";
import { exactRounds, runRounds, waysOf } from "./quadratic-rounds.js";
import { quadraticOptions, quadratics } from "./quadratics.js";

const MOMENTUM = { name: "sgd", rate: 0.25, momentum: 0.5 };

/** Steps of client 1 and client 2 of `TWO_CLIENTS` without a correction: w - (w - 34) / 4 and w - 2 (w + 6) / 4. */
describe("two quadratic clients, worked out by hand,", () => {
  it("average to 16/4 - 4 * 3/4 = 1, and then to 15.4375/4 - 4.25 * 3/4 = 0.671875", () =>
    // From x = 1: 1, 9.25, 15.4375 and 1, -2.5, -4.25.
    expectRounds({}, [{ server: { parameters: 1 } }, { server: { parameters: 0.671875 } }]));

  it("average to (16 - 4) / 2 = 6 with uniform weights", () =>
    expectRounds({ weights: "uniform" }, [{ server: { parameters: 6 } }]));

  it("are held back by FedProx with mu = 1: 14/4 - 3 * 3/4 = 1.25", () =>
    // 2, 10, 10 - (10 - 34 + 10 - 2) / 4 = 14 and 2, -2, -2 - (2 * 4 - 2 - 2) / 4 = -3.
    expectRounds({ strategy: { name: "fedprox", mu: 1 } }, [{ server: { parameters: 1.25 } }]));

  it("keep the pull of FedProx in their momentum: 22/4 - 5.25 * 3/4 = 1.5625", () =>
    // Velocities -32, -16 - 24 + 8 = -32, -16 - 16 + 16 = -16: 2, 10, 18, 22.
    // Velocities 16, 8 + 8 - 4 = 12, 6 + 2 - 7 = 1: 2, -2, -5, -5.25.
    expectRounds({ strategy: { name: "fedprox", mu: 1 }, optimizer: MOMENTUM, localSteps: 3 }, [
      { server: { parameters: 1.5625 } },
    ]));

  it("are pulled beside their momentum by the decoupled form: 23/4 - 5.75 * 3/4 = 1.4375", () =>
    // Velocities -32, -16 - 24 = -40, -20 - 16 = -36: 2, 10, 10 + 10 - 8/4 = 18, 18 + 9 - 16/4 = 23.
    // Velocities 16, 8 + 8 = 16, 8 + 2 = 10: 2, -2, -2 - 4 + 4/4 = -5, -5 - 2.5 + 7/4 = -5.75.
    expectRounds(
      {
        ...{ strategy: { name: "fedprox", mu: 1, proximal: "decoupled" }, localSteps: 3 },
        optimizer: MOMENTUM,
      },
      [{ server: { parameters: 1.4375 } }],
    ));

  it("are corrected by SCAFFOLD I: controls are gradients at x, -32 and 16, their mean is 4", () =>
    // Round 2 from x = 1 follows w - 34 + 4 + 32 and 2 (w + 6) + 4 - 16: 1, 1/4, -5/16 and 1, 1/2, 1/4.
    // New controls are 1 - 34 and 2 * 7.
    expectRounds({ strategy: { name: "scaffold" } }, [
      { server: { parameters: 1, control: 4 }, clients: { control: [-32, 16] } },
      { server: { parameters: 0.109375, control: 2.25 }, clients: { control: [-33, 14] } },
    ]));

  it("are corrected by SCAFFOLD II: controls are (2 - 16) / 0.5 = -28 and (2 + 4) / 0.5 = 12, their mean is 2", () =>
    // Round 2 from x = 1 follows w - 34 + 2 + 28 and 2 (w + 6) + 2 - 12: 1, 1.75, 2.3125 and 1, 0, -0.5.
    // New controls are -28 - 2 + (1 - 2.3125) / 0.5 = -32.625 and 12 - 2 + (1 + 0.5) / 0.5 = 13.
    expectRounds({ strategy: { name: "scaffold", control: "II" } }, [
      { server: { parameters: 1, control: 2 }, clients: { control: [-28, 12] } },
      { server: { parameters: 0.203125, control: 1.59375 }, clients: { control: [-32.625, 13] } },
    ]));

  it("are corrected by SCAFFOLD II with momentum, in which gradients count 1.5 and 1 times: (2 - 20) / 0.625 = -28.8", () =>
    // Velocities -32, -16 - 24: 2, 10, 20. Velocities 16, 8 + 8: 2, -2, -6.
    // (-32 * 1.5 - 24) / 2.5 = -28.8 and (16 * 1.5 + 8) / 2.5 = 12.8.
    expectRounds(
      { strategy: { name: "scaffold", control: "II" }, optimizer: MOMENTUM, clientState: "reset" },
      [{ server: { parameters: 0.5, control: 2.4 }, clients: { control: [-28.8, 12.8] } }],
    ));

  it("have uniform controls with uniform weights, and the server's rate 1/2: 2 + (6 - 2) / 2 = 4, control -8", () =>
    expectRounds({ strategy: { name: "scaffold", server_rate: 0.5 }, weights: "uniform" }, [
      { server: { parameters: 4, control: -8 }, clients: { control: [-32, 16] } },
    ]));

  it("are the case of pfl-research: rate 0.1, c = 0.1, one step along 0.4 and 0.9, new controls 0.3 and 0.8", async () => {
    // Losses w^2 / 2 + 0.3 w and w^2 / 2 + 0.8 w at w = 0, both controls 0.
    // The server's control becomes 0.1 + (0.3 + 0.8) / 2.
    const pair = [-0.3, -0.8].map((b) => ({ a: [1], b: [b], samples: 1 }));
    for (const control of ["I", "II"]) {
      const options = quadraticOptions({
        ...{ strategy: { name: "scaffold", control }, rounds: 1, localSteps: 1 },
        optimizer: { name: "sgd", rate: 0.1, momentum: 0 },
      });
      const [{ server, clients }] = await exactRounds(quadratics(pair, [0]), options, {
        server: { parameters: [0], control: [0.1] },
        clients: { control: [[0], [0]] },
      });
      // Minima are kept in float32, which has eight digits.
      expect(server.parameters[0]).toBeCloseTo(-(0.04 + 0.09) / 2, 8);
      expect(server.control[0]).toBeCloseTo(0.65, 7);
      expect(clients.control[0][0]).toBeCloseTo(0.3, 7);
      expect(clients.control[1][0]).toBeCloseTo(0.8, 7);
    }
  });

  it("take one step and three by FedNova: (1/4 + 3 * 3/4) (8/4 - 7/3 * 3/4) = 0.625", () =>
    // 2, 10 and 2, -2, -4, -5; then from 2.625 to 10.46875 and to -4.921875.
    expectRounds({ strategy: { name: "fednova" }, localEpochs: 1 }, [
      { server: { parameters: 2.625 } },
      { server: { parameters: 2.625 + 2.5 * (7.84375 / 4 - (7.546875 / 3) * (3 / 4)) } },
    ]));

  it("take one step and three with momentum by FedNova, which are 1 and 1 + 1.5 + 1.75 = 4.25", () =>
    // 2, 10; and velocities 16, 8 + 8, 8 + 0: 2, -2, -6, -8.
    expectRounds(
      { strategy: { name: "fednova" }, localEpochs: 1, optimizer: MOMENTUM, clientState: "reset" },
      [{ server: { parameters: 2 + (1 / 4 + 4.25 * (3 / 4)) * (8 / 4 - (10 / 4.25) * (3 / 4)) } }],
    ));

  it("take one step and three by FedAvg: 10/4 - 5 * 3/4 = -1.25", () =>
    expectRounds({ localEpochs: 1 }, [{ server: { parameters: -1.25 } }]));

  it("train models of their own by Ditto with lambda = 1, which end at 14 and -3 beside FedAvg's server", () =>
    // 2, 10, 10 - (-24 + 8) / 4 = 14 and 2, -2, -2 - (8 - 4) / 4 = -3.
    // Held near 1: 14, 14 - (-20 + 13) / 4 = 15.75, 15.75 - (-18.25 + 14.75) / 4 = 16.625,
    // and -3, -3 - (6 - 4) / 4 = -3.5, -3.5 - (5 - 4.5) / 4 = -3.625.
    expectRounds({ strategy: { name: "ditto", lambda: 1 } }, [
      { server: { parameters: 1 }, clients: { personal: [14, -3] } },
      { server: { parameters: 0.671875 }, clients: { personal: [16.625, -3.625] } },
    ]));

  it("go their own ways as local-only: 2, 10, 16, 20.5, 23.875 and 2, -2, -4, -5, -5.5", () =>
    expectRounds({ strategy: { name: "local-only" } }, [
      { server: { parameters: 1 }, clients: { parameters: [16, -4] } },
      { server: { parameters: 23.875 / 4 - (5.5 * 3) / 4 }, clients: { parameters: [23.875, -5.5] } },
    ]));

  it("are one centralised client, whose gradient is (w - 34) / 4 + 6/4 (w + 6) = 1.75 w + 0.5: 2, 1, 0.4375", () =>
    // A step takes w to 0.5625 w - 0.125: 0.4375, 0.12109375, -0.056884765625.
    expectRounds({ strategy: { name: "centralised" }, batch: 4 }, [
      { server: { parameters: 0.4375 } },
      { server: { parameters: -0.056884765625 } },
    ]));

  it("take steps of half the length in the second round by the client's schedule step:0.5:1", () =>
    // From x = 1 at the rate 1/8: 1, 1 + 33/8 = 5.125, 5.125 + 28.875/8 = 8.734375 and 1, 1 - 14/8 = -0.75, -0.75 - 10.5/8.
    expectRounds({ clientSchedule: "step:0.5:1" }, [
      { server: { parameters: 1 } },
      { server: { parameters: 8.734375 / 4 - (2.0625 * 3) / 4 } },
    ]));

  it("reveal gradients to SCAFFOLD II by steps of half the length too: -32.8125 and 13.5 in the second round", () =>
    // At the rate 1/8 from x = 1 along w - 34 + 30 and 2 (w + 6) - 10: 1, 1.375, 1.703125 and 1, 0.5, 0.125.
    // The means of their gradients are (-33 - 32.625) / 2 = -32.8125 and (14 + 13) / 2 = 13.5.
    expectRounds({ strategy: { name: "scaffold", control: "II" }, clientSchedule: "step:0.5:1" }, [
      { server: { parameters: 1, control: 2 }, clients: { control: [-28, 12] } },
      {
        server: { parameters: 0.51953125, control: 1.921875 },
        clients: { control: [-32.8125, 13.5] },
      },
    ]));

  it("move the server half as far in the second round by its schedule: 1 + (0.671875 - 1) / 2", () =>
    expectRounds({ serverSchedule: "step:0.5:1" }, [
      { server: { parameters: 1 } },
      { server: { parameters: 0.8359375 } },
    ]));
});

describe("two quadratic clients with local parts, worked out by hand,", () => {
  const problem = quadratics(
    TWO_CLIENTS.map(({ a, b, samples }) => ({ a: [...a, ...a], b: [...b, ...b], samples })),
    [2, 2],
    ["branch.weight", "trunk.weight"],
  );
  const options = quadraticOptions({ local: "trunk.*" });

  it("share one weight, 1 and 0.671875, and keep the other: 16, 23.875 and -4, -5.5", async () => {
    const runs = await Promise.all([
      exactRounds(problem, options),
      ...waysOf(problem, options).map((way) => runRounds(problem, options, way)),
    ]);
    for (const [first, second] of runs) {
      expect(first.server.parameters[0]).toBeCloseTo(1, 6);
      expect(second.server.parameters[0]).toBeCloseTo(0.671875, 6);
      // The server has the mean of the weights that stay with clients, which nobody uses.
      expect(second.server.parameters[1]).toBeCloseTo(23.875 / 4 - (5.5 * 3) / 4, 5);
      expect(first.clients.parameters.map(([, own]) => own)).toEqual(
        [16, -4].map((x) => expect.closeTo(x, 5)),
      );
      expect(second.clients.parameters.map(([, own]) => own)).toEqual(
        [23.875, -5.5].map((x) => expect.closeTo(x, 5)),
      );
    }
  });

  it("have models of the shared weight and their own", async () => {
    const [, { server, clients }] = await exactRounds(problem, options);
    const models = modelsOfState(
      {
        round: 2,
        server: { parameters: Float32Array.from(server.parameters) },
        clients: { parameters: Float32Array.from(clients.parameters.flat()) },
      },
      options,
      problem.operator.layout,
      2,
    );
    expect(models).toEqual([Float32Array.of(0.671875, 23.875), Float32Array.of(0.671875, -5.5)]);
  });
});
