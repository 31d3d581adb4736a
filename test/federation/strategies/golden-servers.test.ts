import { describe, it } from "vitest";
import { expectRounds } from "./golden-vectors.js";

/**
 * Two steps of the clients of `TWO_CLIENTS` take w to 9/16 w + 14.875 and to w/4 - 4.5. Their mean at 1/4 and 3/4 less x is
 * the server's pseudo-gradient Delta(x) = (22 - 43 x) / 64: -1 at x = 2, and at x = 1.5 this:
 */
const D = -0.6640625;
const { sqrt } = Math;

describe("servers, worked out by hand from Delta(2) = -1 and Delta(1.5) = -0.6640625,", () => {
  it("have momentum: v = -1, x = 2 - 1/2; v = -1/2 - 0.6640625, x = 1.5 + v/2", () =>
    expectRounds({ strategy: { name: "fedavgm", server_rate: 0.5, server_momentum: 0.5 } }, [
      { server: { velocity: -1, parameters: 1.5 } },
      { server: { velocity: -1.1640625, parameters: 0.91796875 } },
    ]));

  it("are Adagrad, whose v is the sum of squares: v = 1, x = 2 - 1/(1 + 1); v = 1 + D^2", () =>
    expectRounds({ strategy: { name: "fedadagrad", server_rate: 1, tau: 1 } }, [
      { server: { first: -1, second: 1, parameters: 1.5 } },
      { server: { first: D, second: 1 + D * D, parameters: 1.5 + D / (sqrt(1 + D * D) + 1) } },
    ]));

  it("are Adagrad with a first moment, beta1 = 1/2: m = -1/2, x = 2 - 2 (1/2) / (1 + 1); m = -1/4 + D/2", () =>
    expectRounds({ strategy: { name: "fedadagrad", server_rate: 2, server_beta1: 0.5, tau: 1 } }, [
      { server: { first: -0.5, second: 1, parameters: 1.5 } },
      {
        server: {
          ...{ first: -0.25 + D / 2, second: 1 + D * D },
          parameters: 1.5 + (2 * (-0.25 + D / 2)) / (sqrt(1 + D * D) + 1),
        },
      },
    ]));

  const ADAM = { name: "fedadam", server_beta1: 0.5, server_beta2: 0.75, tau: 0.5 };
  /** The moments of the second round: m = -1/4 + D/2 and v = 3/16 + D^2/4. */
  const [M, V] = [-0.25 + D / 2, 3 / 16 + (D * D) / 4];

  it("are Adam as published: m = -1/2, v = 1/4, x = 2 - (1/2) / (1/2 + 1/2)", () =>
    expectRounds({ strategy: { ...ADAM, server_rate: 1 } }, [
      { server: { first: -0.5, second: 0.25, parameters: 1.5 } },
      { server: { first: M, second: V, parameters: 1.5 + M / (sqrt(V) + 0.5) } },
    ]));

  it("are Adam with bias correction: moments -1 and 1 in round 1, x = 2 - 0.75 / (1 + 0.5); then by 1 - 1/4 and 1 - 9/16", () =>
    expectRounds({ strategy: { ...ADAM, server_rate: 0.75, bias_correction: true } }, [
      { server: { first: -0.5, second: 0.25, parameters: 1.5 } },
      {
        server: {
          ...{ first: M, second: V },
          parameters: 1.5 + (0.75 * (M / (3 / 4))) / (sqrt(V / (7 / 16)) + 0.5),
        },
      },
    ]));

  it("are Yogi, whose v grows by D^2/4 where it is smaller than D^2: v = 1/4, then 1/4 + D^2/4", () =>
    expectRounds({ strategy: { ...ADAM, name: "fedyogi", server_rate: 1 } }, [
      { server: { first: -0.5, second: 0.25, parameters: 1.5 } },
      {
        server: {
          ...{ first: M, second: 0.25 + (D * D) / 4 },
          parameters: 1.5 + M / (sqrt(0.25 + (D * D) / 4) + 0.5),
        },
      },
    ]));

  it("are Yogi, whose v shrinks by as little where it is larger: Delta(1/2) = 1/128, v = 1/4 - 1/65536", () =>
    // The server's rate 3 takes x from 2 to 1/2.
    expectRounds({ strategy: { ...ADAM, name: "fedyogi", server_rate: 3 } }, [
      { server: { first: -0.5, second: 0.25, parameters: 0.5 } },
      {
        server: {
          ...{ first: -0.25 + 1 / 256, second: 0.25 - 1 / 65536 },
          parameters: 0.5 + (3 * (-0.25 + 1 / 256)) / (sqrt(0.25 - 1 / 65536) + 0.5),
        },
      },
    ]));

  it("are Yogi with bias correction: v = 1/4 counts as 1 in round 1, x = 2 - 0.75 / (1 + 0.5)", () =>
    expectRounds({ strategy: { ...ADAM, name: "fedyogi", server_rate: 0.75, bias_correction: true } }, [
      { server: { second: 0.25, parameters: 1.5 } },
      {
        server: {
          parameters: 1.5 + (0.75 * (M / (3 / 4))) / (sqrt((0.25 + (D * D) / 4) / (7 / 16)) + 0.5),
        },
      },
    ]));

  it("scale the whole step of Adam by a schedule, and not its moments: x = 2 - 1/2, then half of M / (sqrt(V) + 1/2)", () =>
    expectRounds({ strategy: { ...ADAM, server_rate: 1 }, serverSchedule: "exponential:0.5" }, [
      { server: { first: -0.5, second: 0.25, parameters: 1.5 } },
      { server: { first: M, second: V, parameters: 1.5 + M / (sqrt(V) + 0.5) / 2 } },
    ]));
});
