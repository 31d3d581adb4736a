import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Federation } from "../../../src/federation/federation.js";
import type { GivenRunOptions } from "../../../src/federation/run-options.js";
import { exactRounds } from "./quadratic-rounds.js";
import { quadraticOptions, quadratics } from "./quadratics.js";

type Given = Partial<GivenRunOptions>;

interface Drawn {
  readonly problem: Federation;
  readonly clients: number;
  /** Options that both runs have. */
  readonly shared: Given;
  /** Any number, for what should not matter. */
  readonly any: number;
}

const real = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** Random federations of two weights with random numbers of rounds, steps and samples. */
function drawn({ least = 2, most = 4, even = false } = {}): fc.Arbitrary<Drawn> {
  const client = fc.record({
    a: fc.array(real(0.2, 2), { minLength: 2, maxLength: 2 }),
    b: fc.array(real(-5, 5), { minLength: 2, maxLength: 2 }),
    samples: even ? fc.constant(3) : fc.integer({ min: 1, max: 5 }),
  });
  return (
    fc
      .record({
        clients: fc.array(client, { minLength: least, maxLength: most }),
        start: fc.array(real(-3, 3), { minLength: 2, maxLength: 2 }),
        rounds: fc.integer({ min: 1, max: 4 }),
        localSteps: fc.integer({ min: 1, max: 4 }),
        batch: fc.integer({ min: 1, max: 4 }),
        weights: fc.constantFrom("size", "uniform"),
        rate: real(0.02, 0.3),
        momentum: fc.constantFrom(0, 0.5),
        any: real(0.01, 30),
      })
      // Adam divides a zero gradient, and the tiny number that keeps it away from zero, by almost nothing.
      .filter(({ clients, start }) =>
        clients.every(({ b }) => start.every((w, i) => Math.abs(w - b[i]) > 0.01)),
      )
      .map(({ clients, start, rate, momentum, any, ...rest }) => ({
        problem: quadratics(clients, start, ["branch.w", "trunk.w"]),
        clients: clients.length,
        shared: { ...(rest as Given), optimizer: { name: "sgd", rate, momentum } },
        any,
      }))
  );
}

const ADAM = { name: "adam", rate: 0.05 };
const server = async (problem: Federation, more: Given) =>
  (await exactRounds(problem, quadraticOptions(more))).map((state) => state.server.parameters);

/** Both runs have the same parameters at the server after each round, but for round-off in float64. */
async function expectSame(problem: Federation, one: Given, other: Given, weights = 2): Promise<void> {
  const [found, expected] = await Promise.all([server(problem, one), server(problem, other)]);
  for (const [round, parameters] of expected.entries())
    for (let i = 0; i < weights; i++)
      expect(Math.abs(found[round][i] - parameters[i])).toBeLessThan(1e-10 * (1 + Math.abs(parameters[i])));
}

interface Reduction {
  readonly title: string;
  /** The options that make no difference, beside those that both runs have. */
  readonly same: (drawn: Drawn) => Given;
  /** Changes of options of both runs. */
  readonly both?: Given | ((drawn: Drawn) => Given);
  readonly among?: Parameters<typeof drawn>[0];
  /** Weights that are compared. */
  readonly weights?: number;
}

const strategy = (name: string, values = {}): Given => ({ strategy: { name, ...values } });
const plain = ({ shared }: Drawn): Given => ({ optimizer: { ...shared.optimizer!, momentum: 0 } });
const ONE: Reduction["among"] = { least: 1, most: 1 };

const REDUCTIONS: readonly Reduction[] = [
  { title: "FedProx with mu = 0", same: () => strategy("fedprox", { mu: 0 }) },
  {
    title: "decoupled FedProx with mu = 0",
    same: () => strategy("fedprox", { mu: 0, proximal: "decoupled" }),
  },
  {
    title: "FedProx with any mu where clients take one step, which starts at the server",
    same: ({ any }) => strategy("fedprox", { mu: any }),
    both: { localSteps: 1, rounds: 1 },
  },
  {
    title: "decoupled FedProx with any mu where clients take one step",
    same: ({ any }) => strategy("fedprox", { mu: any, proximal: "decoupled" }),
    both: { localSteps: 1 },
  },
  {
    title: "SCAFFOLD I in its first round, in which all controls are zero",
    same: () => strategy("scaffold"),
    both: { rounds: 1 },
  },
  {
    title: "SCAFFOLD II in its first round",
    same: () => strategy("scaffold", { control: "II" }),
    both: { rounds: 1 },
  },
  {
    title: "SCAFFOLD I with Adam in its first round",
    same: () => strategy("scaffold"),
    both: { rounds: 1, optimizer: ADAM },
  },
  {
    title: "SCAFFOLD I where all clients take one step, since corrections cancel in the mean",
    same: () => strategy("scaffold"),
    both: { localSteps: 1 },
  },
  {
    title: "SCAFFOLD II where all clients take one step",
    same: () => strategy("scaffold", { control: "II" }),
    both: { localSteps: 1 },
  },
  {
    title: "FedAvgM at the server's rate 1 without momentum",
    same: () => strategy("fedavgm", { server_rate: 1, server_momentum: 0 }),
  },
  {
    title: "FedNova where all clients take as many steps",
    same: () => strategy("fednova"),
    both: plain,
  },
  {
    title: "FedNova where all clients take as many steps with momentum",
    same: () => strategy("fednova"),
    both: { clientState: "reset" },
  },
  {
    title: "FedNova where all clients take as many steps of Adam",
    same: () => strategy("fednova"),
    both: { optimizer: ADAM },
  },
  {
    title: "FedNova where stragglers could be, but take all steps",
    same: ({ shared }) => ({ ...strategy("fednova"), localStepsMin: shared.localSteps }),
    both: plain,
  },
  {
    title: "the shared model of Ditto with any lambda",
    same: ({ any }) => strategy("ditto", { lambda: any }),
  },
  {
    title: "the shared model of Ditto with any lambda and Adam",
    same: ({ any }) => strategy("ditto", { lambda: any }),
    both: { optimizer: ADAM },
  },
  { title: "participation of all clients", same: ({ clients }) => ({ participation: clients }) },
  {
    title: "participation of all clients whatever the sampling, which has no choice",
    same: ({ clients }) => ({ participation: clients, sampling: "size" }),
    both: { weights: "uniform" },
  },
  { title: "dropout 0", same: () => ({ dropout: 0 }) },
  {
    title: "uniform weights where clients have as many samples",
    same: () => ({ weights: "uniform" }),
    both: { weights: "size" },
    among: { even: true },
  },
  {
    title: "local-only in its first round",
    same: () => strategy("local-only"),
    both: { rounds: 1 },
  },
  {
    title: "a shared weight beside a local one on which it does not depend",
    same: () => ({ local: "trunk.*" }),
    weights: 1,
  },
  {
    title: "centralised training where clients take one plain step on all their samples",
    same: () => strategy("centralised"),
    both: (one) => ({ ...plain(one), localSteps: 1, batch: 100, weights: "size" }),
  },
  ...["scaffold", "fednova", "ditto", "local-only", "centralised"].map((name) => ({
    title: `${name} with a single client`,
    same: () => strategy(name),
    both: (one: Drawn): Given => ({ ...plain(one), ...(name === "centralised" && { weights: "size" }) }),
    among: ONE,
  })),
  {
    title: "SCAFFOLD I with Adam and a single client",
    same: () => strategy("scaffold"),
    both: { optimizer: ADAM },
    among: ONE,
  },
  {
    title: "SCAFFOLD II with a single client",
    same: () => strategy("scaffold", { control: "II" }),
    among: ONE,
  },
  {
    title: "FedNova with a single client that takes different numbers of steps",
    same: () => strategy("fednova"),
    both: (one) => ({ ...plain(one), localSteps: 4, localStepsMin: 1 }),
    among: ONE,
  },
];

describe("federated averaging", () => {
  it.each(REDUCTIONS.map((one) => [one.title, one] as const))(
    "is what %s gives",
    (_, { same, both = {}, among, weights }) =>
      fc.assert(
        fc.asyncProperty(drawn(among), async (one) => {
          const shared = { ...one.shared, ...(typeof both === "function" ? both(one) : both) };
          await expectSame(one.problem, { ...shared, ...same({ ...one, shared }) }, shared, weights);
        }),
        { numRuns: 15 },
      ),
  );

  /** Two clients that disagree: what does not reduce to federated averaging must not look as if it did. */
  const apart = quadratics(
    [
      { a: [0.5, 2], b: [4, 1], samples: 2 },
      { a: [2, 1], b: [-4, -3], samples: 5 },
    ],
    [1, 1],
    ["branch.w", "trunk.w"],
  );
  it.each<[string, Given]>([
    ["FedProx with mu = 1", strategy("fedprox", { mu: 1 })],
    ["decoupled FedProx with mu = 1", strategy("fedprox", { mu: 1, proximal: "decoupled" })],
    ["SCAFFOLD I", strategy("scaffold")],
    ["SCAFFOLD II", strategy("scaffold", { control: "II" })],
    ["SCAFFOLD at another rate of the server", strategy("scaffold", { server_rate: 0.5 })],
    ["FedAvgM", strategy("fedavgm")],
    ["FedNova with epochs", { ...strategy("fednova"), localEpochs: 1 }],
    ["one client a round", { participation: 0.5 }],
    ["uniform weights", { weights: "uniform" }],
    ["local-only", strategy("local-only")],
    ["centralised training", strategy("centralised")],
    ["local parts", { local: "branch.*" }],
  ])("is not what %s gives", async (_, more) => {
    const { localEpochs } = more;
    const found = await server(apart, { rounds: 3, ...more });
    const expected = await server(apart, { rounds: 3, ...(localEpochs && { localEpochs }) });
    expect(Math.abs(found[2][0] - expected[2][0])).toBeGreaterThan(0.01);
  });
});

describe("an adaptive server", () => {
  const first = { rounds: 1 };

  it("is the same as Yogi and as Adam in the first round, whose second moment starts at zero", () =>
    fc.assert(
      fc.asyncProperty(drawn(), ({ problem, shared }) =>
        expectSame(
          problem,
          { ...shared, ...first, ...strategy("fedyogi") },
          { ...shared, ...first, ...strategy("fedadam") },
        ),
      ),
      { numRuns: 15 },
    ));

  it("without memory needs no bias correction: both betas are 0", () =>
    fc.assert(
      fc.asyncProperty(drawn(), fc.constantFrom("fedadam", "fedyogi"), ({ problem, shared }, name) => {
        const forgetful = { server_beta1: 0, server_beta2: 0 };
        return expectSame(
          problem,
          { ...shared, ...strategy(name, { ...forgetful, bias_correction: true }) },
          { ...shared, ...strategy(name, forgetful) },
        );
      }),
      { numRuns: 15 },
    ));
});

describe("FedNova", () => {
  it.each(["sgd", "adam"])(
    "takes the mean of the clients' updates over their steps, times the mean of these, with %s",
    (name) =>
      fc.assert(
        fc.asyncProperty(drawn(), async ({ problem, shared }) => {
          const chosen: Given = {
            ...{ ...shared, rounds: 1, localSteps: 4, localStepsMin: 1 },
            optimizer: name === "adam" ? ADAM : { ...shared.optimizer!, momentum: 0 },
          };
          const [nova] = await exactRounds(problem, quadraticOptions({ ...chosen, ...strategy("fednova") }));
          const [alone] = await exactRounds(
            problem,
            quadraticOptions({ ...chosen, ...strategy("local-only") }),
          );
          const x = Array.from(problem.operator.initial(undefined as never));
          const mean = nova.present.reduce((sum, { share, steps }) => sum + share * steps, 0);
          for (const [i, found] of nova.server.parameters.entries()) {
            const update = nova.present.reduce(
              (sum, { client, share, steps }) =>
                sum + (share * (alone.clients.parameters[client][i] - x[i])) / steps,
              0,
            );
            expect(found).toBeCloseTo(x[i] + mean * update, 10);
          }
        }),
        { numRuns: 15 },
      ),
  );
});
