import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { npz } from "../../../src/exchange/npz.js";
import { backendOf } from "../../../src/federation/backends.js";
import { dataOrder } from "../../../src/federation/data-order.js";
import { type Federation, federate } from "../../../src/federation/federation.js";
import { participants } from "../../../src/federation/participation/participants.js";
import { prepareData } from "../../../src/federation/prepared-data.js";
import {
  type BackendName,
  type GivenRunOptions,
  type RunOptions,
  runOptions,
} from "../../../src/federation/run-options.js";
import { strategyOptions } from "../../../src/federation/strategies/strategies.js";
import { writeNpz } from "../../../src/files/npz.js";
import { outputPoints } from "../../../src/models/output-points.js";
import { modelsOfState } from "../models-of-state.js";
import { replicaOf, roundsOf } from "../replica-of.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const hasTorch = spawnSync(PYTHON, ["-c", "import torch, numpy"]).status === 0;
const SCRIPT = join(import.meta.dirname, "federation_torch.py");

const ROUNDS = 10;
const optionsWith = (more: Partial<GivenRunOptions>): RunOptions =>
  runOptions({
    ...{ task: "antiderivative", alpha: 0.3, seed: 5, train: 72, test: 8, clients: 4, bins: 5, minSize: 6 },
    ...{ rounds: ROUNDS, localSteps: 5, batch: 16, repair: "largest", model: { width: 10 }, ...more },
  });

const SGD = { name: "sgd", rate: 0.05, momentum: 0 };
const MOMENTUM = { name: "sgd", rate: 0.01, momentum: 0.8 };
/** Runs by what is special of them; clients have Adam unless they say otherwise. */
const RUNS: Readonly<Record<string, Partial<GivenRunOptions>>> = {
  FedAvg: {},
  FedProx: { strategy: { name: "fedprox", mu: 10 } },
  "FedProx with SGD": { strategy: { name: "fedprox", mu: 0.5 }, optimizer: MOMENTUM },
  "FedProx, decoupled": { strategy: { name: "fedprox", mu: 20, proximal: "decoupled" } },
  "SCAFFOLD I": { strategy: { name: "scaffold", control: "I" } },
  "SCAFFOLD I with SGD, clients all alike": {
    ...{ strategy: { name: "scaffold", control: "I", server_rate: 0.8 }, optimizer: SGD, weights: "uniform" },
  },
  "SCAFFOLD I, two clients a round": { strategy: { name: "scaffold" }, participation: 2 },
  "SCAFFOLD II": { strategy: { name: "scaffold", control: "II" }, optimizer: SGD },
  FedAdam: { strategy: { name: "fedadam", server_rate: 0.01, tau: 0.01, server_beta1: 0.8 } },
  "FedAdam with bias correction, two clients a round": {
    ...{ strategy: { name: "fedadam", bias_correction: true }, participation: 2, clientState: "reset" },
  },
  FedYogi: { strategy: { name: "fedyogi", server_beta2: 0.9 } },
  FedAdagrad: { strategy: { name: "fedadagrad", server_beta1: 0.5 } },
  FedAvgM: { strategy: { name: "fedavgm", server_rate: 0.5, server_momentum: 0.7 } },
  "FedNova with epochs": { strategy: { name: "fednova" }, optimizer: SGD, localEpochs: 2, batch: 8 },
  "FedNova with epochs and momentum": {
    ...{ strategy: { name: "fednova" }, optimizer: MOMENTUM, localEpochs: 2, batch: 8 },
    clientState: "reset",
  },
  Ditto: { strategy: { name: "ditto", lambda: 2 }, optimizer: MOMENTUM },
};

/** Of weights below 1 that move by 0.01 to 0.1; the reference backend computes in float64, but states are float32. */
const TOLERANCES: Readonly<Record<BackendName, number>> = { reference: 4e-7, onnx: 3e-6 };

interface Followed {
  readonly servers: readonly (readonly number[])[];
  readonly personal: readonly (readonly number[])[];
}

/** Everything that Python needs to know of a run. */
function runForPython(problem: Federation, options: RunOptions) {
  const turns = participants(problem, options);
  const orders = problem.clientIndices.map((own, client) => dataOrder(own, { ...options, client }));
  return {
    strategy: strategyOptions(options.strategy) ?? { name: "fedavg" },
    optimizer: options.optimizer,
    client_state: options.clientState,
    weights: options.weights ?? "size",
    rounds: Array.from({ length: ROUNDS }, (_, round) =>
      turns.of(round).map(({ client, before, steps }) => ({
        client,
        batches: Array.from({ length: steps }, (_, step) => [...orders[client](before + step)]),
      })),
    ),
  };
}

describe.skipIf(!hasTorch)("ten rounds are those of a plain loop in PyTorch", () => {
  const folder = mkdtempSync(join(tmpdir(), "federation-torch-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const options = Object.values(RUNS).map(optionsWith);
  let problem: Federation;
  let expected: readonly Followed[];

  beforeAll(async () => {
    problem = await federate(await prepareData(options[0]), options[0]);
    const { train, operator, shapes, measured } = problem;
    const { values: points, dimensions } = outputPoints(shapes);
    writeFileSync(
      join(folder, "samples.npz"),
      await writeNpz({
        inputs: { values: train.inputs, shape: [train.samples, train.inputs.length / train.samples] },
        responses: {
          values: train.responses,
          shape: [train.samples, train.responses.length / train.samples],
        },
        points: { values: Float64Array.from(points), shape: [points.length / dimensions, dimensions] },
      }),
    );
    const [clients] = npz.files(measured.partition);
    writeFileSync(join(folder, "clients.npz"), await clients.bytes());
    const { parameters } = replicaOf(problem, options[0]).start.server;
    const weights = operator.layout.map(({ name, shape, start, size }) => {
      return [name, { values: parameters.subarray(start, start + size), shape }] as const;
    });
    writeFileSync(join(folder, "weights.npz"), await writeNpz(Object.fromEntries(weights)));
    const input = JSON.stringify(options.map((one) => runForPython(problem, one)));
    const { stdout, stderr } = spawnSync(PYTHON, [SCRIPT, folder], {
      encoding: "utf8",
      input,
      maxBuffer: 2 ** 28,
    });
    expect(stderr).toBe("");
    expected = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }, 300_000);

  const worst = (found: ArrayLike<number>, wanted: readonly number[]) =>
    wanted.reduce((most, value, i) => Math.max(most, Math.abs(value - found[i])), 0);

  const CASES = (["reference", "onnx"] as const).flatMap((backend) =>
    Object.keys(RUNS).map((name, i) => ({ name, backend, i })),
  );
  it.each(CASES)("$name by the $backend backend", async ({ backend, i }) => {
    const run = { ...options[i], backend };
    const rounds = await roundsOf(replicaOf(problem, run), await backendOf(backend));
    const differences: number[] = [];
    for (const wanted of expected[i].servers) {
      await rounds.next(false);
      differences.push(worst(rounds.parameters()[0], wanted));
    }
    const [state] = rounds.states();
    await rounds.close();
    expect(Math.max(...differences)).toBeLessThan(TOLERANCES[backend]);
    const own = modelsOfState(state, run, problem.operator.layout, problem.weights.length);
    expect(own).toHaveLength(expected[i].personal.length);
    for (const [client, model] of own.entries())
      expect(worst(model, expected[i].personal[client])).toBeLessThan(TOLERANCES[backend]);
  });

  it("the runs differ by far more than round-off", () => {
    const [average, ...others] = expected.map(({ servers }) => servers.at(-1)!);
    for (const other of others) expect(worst(other, average)).toBeGreaterThan(1e-3);
  });
});
