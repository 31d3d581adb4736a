import type { Backend } from "../../engine/backend.js";
import { add, broadcast, multiply, reshape, slice, subtract } from "../../engine/operations.js";
import { awayFromZero, STEPS_AWAY_FROM_ZERO } from "../../engine/optimizers.js";
import type { Program, Tensor } from "../../engine/program.js";
import type { Shape } from "../../engine/shape.js";
import { parameterCount, separateWeights } from "../../models/parameter-layout.js";
import type { Training } from "../../models/trainable-model.js";
import { heldInputs } from "../held-inputs.js";
import { optimizerOf } from "../run-options.js";
import { strategyOf } from "../strategies/strategies.js";
import type { LocalStep, Strategy, Tensors } from "../strategies/strategy.js";
import { OWN, ofPersonal, PERSONAL, serverVectors, stateRule } from "./client-vectors.js";
import { clientInput, INPUTS, PARAMETERS, type ProgramOptions, serverInput } from "./program-inputs.js";
import { fromGroups, groupsOf, intoGroups, updateGroups, withoutGroups } from "./update-groups.js";

/** Who takes the steps of a program, as the axes of tensors over replicas and over clients; none for one of them. */
export interface Steppers {
  readonly replicas: Shape;
  readonly clients: Shape;
  /** Steps of a round, at most. */
  readonly steps: number;
  /** Samples of a batch; smaller batches are filled up. */
  readonly rows: number;
  /** Whether clients have taken different numbers of steps before. */
  readonly isPartial?: boolean;
  /** Whether clients take different numbers of steps in this round. */
  readonly isRagged?: boolean;
  /** Batches with what a client's first batch leaves out, for the gradient over all samples: how many, and their rows. */
  readonly remaining?: { readonly batches: number; readonly rows: number };
}

/** What clients have after their steps, [..., clients, parameters]. */
export interface SteppedClients {
  /** The parameters from which the round started at the server. */
  readonly server: Tensor;
  readonly serverVectors: Tensors;
  readonly parameters: Tensor;
  /** The parameters from which each client started. */
  starts(): Tensor;
  /** All vectors that clients keep, by name. */
  readonly vectors: Tensors;
  /** The strategy's vectors before the round. */
  readonly before: Tensors;
  /** What the strategy knows of each client, [..., clients]. */
  readonly coefficients: readonly Tensor[];
}

/** One chain of optimiser steps: where it starts, and what its gradients are corrected by. */
interface Chain {
  readonly starts: readonly Tensor[];
  readonly states: readonly (readonly Tensor[])[];
  /** What is added to all gradients, one tensor a group. */
  readonly correction?: readonly Tensor[];
  gradient?(gradient: Tensor, step: LocalStep): Tensor;
  settle?(updated: Tensor, step: LocalStep): Tensor;
  /** What `start` of a step is, if not where the chain starts. */
  readonly anchors?: readonly Tensor[];
  /** The server's parameters where all clients have them at the first step, so that one product serves them all. */
  readonly shared?: readonly Tensor[];
}

/** Optimiser steps of clients from the server's parameters, and from their own where they have some. */
export function localSteps(
  program: Program,
  training: Training,
  options: ProgramOptions,
  sizes: Steppers,
  { prefersLargeKernels = false }: Pick<Backend, "prefersLargeKernels"> = {},
): SteppedClients {
  const { replicas, clients: own, steps, rows, isPartial = false, isRagged = false, remaining } = sizes;
  const { blocks } = training;
  const clients = [...replicas, ...own];
  const optimizer = optimizerOf(options.optimizer);
  const strategy = strategyOf(options);
  const count = parameterCount(blocks);
  const shape = [...clients, count];
  const data = heldInputs(program, training);
  const indices = program.input(INPUTS.indices, [steps, ...clients, rows], "int");
  const weights = program.input(INPUTS.weights, [steps, ...clients, rows]);
  const ofSteps = isPartial ? [steps, ...clients] : [steps];
  const coefficients = optimizer.coefficients(1).map((_, i) => program.input(INPUTS.coefficient(i), ofSteps));
  const factor = options.clientSchedule === undefined ? undefined : program.input(INPUTS.clientRate, []);
  const active = isRagged ? program.input(INPUTS.active, [steps, ...clients]) : undefined;
  const parameters = program.input(PARAMETERS, [...replicas, count]);
  const stateOf = (name: (vector: string) => string) =>
    optimizer.stateVectors.map((vector) =>
      stateRule(options, vector) === "reset"
        ? program.constant(0, shape)
        : program.input(clientInput(name(vector)), shape),
    );

  const groups = updateGroups(blocks, { prefersLargeKernels });
  const repeated = (x: Tensor) => forClients(x, replicas, clients);
  const grouped = (x: Tensor) => groupsOf(x, blocks, groups, clients);
  const flat = (tensors: readonly Tensor[]) => withoutGroups(tensors, blocks, groups, clients);

  const shared = groupsOf(parameters, blocks, groups, replicas);
  const state = stateOf((vector) => vector);
  const ofServer = named(serverVectors(options), (name) =>
    program.input(serverInput(name), [...replicas, count]),
  );
  const before = named(strategy.clientVectors ?? [], (name) => program.input(clientInput(name), shape));
  const serverGroups = mapped(ofServer, (x) => groupsOf(x, blocks, groups, replicas).map(repeated));
  const clientGroups = mapped(before, grouped);
  const kept = { client: before, server: mapped(ofServer, repeated) };
  const ownParameters = strategy.isLocal && program.input(clientInput(OWN), shape);
  const starts = ownParameters
    ? grouped(
        mixed(program, blocks, strategy.isLocal!, ownParameters, forClients(parameters, replicas, clients)),
      )
    : shared.map(repeated);
  const vectorsOf = (group: number) => ({
    client: mapped(clientGroups, (tensors) => tensors[group]),
    server: mapped(serverGroups, (tensors) => tensors[group]),
  });

  /** The gradients of a batch, one tensor a group. */
  const gradientsAt = (present: readonly Tensor[], isShared: boolean, chosen: Tensor, weight: Tensor) => {
    const byName = fromGroups(present, groups, isShared ? replicas : clients);
    const found = training.gradients(isShared ? mapped(byName, repeated) : byName, data, chosen, weight);
    return intoGroups(found, groups, clients);
  };

  // One product then serves all clients at the server's weights, where large kernels are fast or several batches use them.
  const sharesProducts = prefersLargeKernels || (strategy.usesFullGradient ?? false);

  function walk({
    starts: first,
    states: initial,
    correction,
    gradient = same,
    settle = same,
    anchors = first,
    shared,
  }: Chain) {
    // Where a correction depends on the weights, Adam would blow a tiny shift of them up to whole steps.
    const isPlain = !correction && gradient === same;
    const isShifted = (vector: number) =>
      isPlain || optimizer.scales.includes(optimizer.stateVectors[vector]);
    let model = first;
    let states = initial;
    let atStart: readonly Tensor[] = [];
    for (let step = 0; step < steps; step++) {
      if (step % STEPS_AWAY_FROM_ZERO === 0)
        states = states.map((vectors, i) => (isShifted(i) ? vectors.map(awayFromZero) : vectors));
      // As long as all clients have the server's weights, one product serves them all.
      const present = step === 0 && sharesProducts && shared ? shared : model;
      const gradients = gradientsAt(present, present === shared, row(indices, step), row(weights, step));
      if (step === 0) atStart = gradients;
      const numbers = coefficients.map((all) => row(all, step));
      const places = model.map((tensor, group) => ({
        ...{ parameters: tensor, start: anchors[group], ...vectorsOf(group) },
      }));
      const after = model.map((tensor, group) => {
        const ofGroup = states.map((vector) => vector[group]);
        const own = isPartial ? numbers.map((number) => alongClients(number, tensor)) : numbers;
        const corrected = correction ? add(gradients[group], correction[group]) : gradients[group];
        return optimizer.update(tensor, gradient(corrected, places[group]), ofGroup, own);
      });
      const isTaken = active && row(active, step);
      const taken = (updated: Tensor, previous: Tensor) =>
        isTaken ? chosen(alongClients(isTaken, updated), updated, previous) : updated;
      model = after.map(({ parameters: updated }, group) => {
        const settled = settle(updated, places[group]);
        const scaled = factor
          ? add(model[group], multiply(subtract(settled, model[group]), factor))
          : settled;
        return taken(scaled, model[group]);
      });
      states = states.map((previous, vector) =>
        after.map(({ state: updated }, group) => taken(updated[vector], previous[group])),
      );
    }
    return { parameters: flat(model), states: states.map(flat), atStart };
  }

  const walked = walk({
    starts,
    states: state.map(grouped),
    correction: strategy.correction && grouped(strategy.correction(kept)),
    gradient: strategy.gradient,
    settle: strategy.settle,
    ...(!strategy.isLocal && { shared }),
  });
  const vectors: Record<string, Tensor> = {};
  optimizer.stateVectors.forEach((name, i) => {
    vectors[name] = walked.states[i];
  });
  if (ownParameters) vectors[OWN] = walked.parameters;
  if (strategy.personal) {
    const ofPersonalModel = walk({
      starts: grouped(program.input(clientInput(PERSONAL), shape)),
      states: stateOf(ofPersonal).map(grouped),
      gradient: strategy.personal,
      anchors: starts,
    });
    vectors[PERSONAL] = ofPersonalModel.parameters;
    optimizer.stateVectors.forEach((name, i) => {
      vectors[ofPersonal(name)] = ofPersonalModel.states[i];
    });
  }
  const ofClients = (strategy.clientCoefficients?.({ steps: 1, before: 0 }, 1) ?? []).map((_, i) =>
    program.input(INPUTS.clientCoefficient(i), clients),
  );
  if (strategy.finish) {
    const full = strategy.usesFullGradient ? flat(fullGradient(walked.atStart)) : undefined;
    const end = {
      ...{ ...kept, parameters: walked.parameters, fullGradient: full },
      // As they come: groups of a vector that is the same for all clients would be repeated to be joined again.
      start: ownParameters ? flat(starts) : forClients(parameters, replicas, clients),
      coefficients: ofClients.map((number) => alongClients(number, walked.parameters)),
    };
    Object.assign(vectors, strategy.finish(end));
  }
  return {
    ...{ server: parameters, serverVectors: ofServer, parameters: walked.parameters },
    ...{ starts: () => flat(starts), vectors, before, coefficients: ofClients },
  };

  /** The gradient over all samples of each client at the start, one tensor a group, from that of the first batch. */
  function fullGradient(first: readonly Tensor[]): Tensor[] {
    const { batches, rows: inBatch } = remaining!;
    const share = program.input(INPUTS.firstShares, clients);
    const ofFirst = first.map((tensor) => multiply(tensor, alongClients(share, tensor)));
    if (batches === 0) return ofFirst;
    const [chosen, weight] = [
      program.input(INPUTS.remainingIndices, [batches, ...clients, inBatch], "int"),
      program.input(INPUTS.remainingWeights, [batches, ...clients, inBatch]),
    ];
    const present = strategy.isLocal ? starts : shared;
    return Array.from({ length: batches }, (_, batch) =>
      gradientsAt(present, present === shared, row(chosen, batch), row(weight, batch)),
    ).reduce((sum, next) => sum.map((tensor, group) => add(tensor, next[group])), ofFirst);
  }
}

/** A step without a correction. */
const same = (x: Tensor): Tensor => x;

/** Parameters of the client where they are local, and those of the server elsewhere. */
function mixed(
  program: Program,
  blocks: Training["blocks"],
  isLocal: NonNullable<Strategy["isLocal"]>,
  own: Tensor,
  server: Tensor,
): Tensor {
  const weights = separateWeights(blocks);
  if (weights.every(({ name }) => isLocal(name))) return own;
  const mask = new Float32Array(parameterCount(blocks));
  for (const { name, start, size } of weights) mask.fill(isLocal(name) ? 1 : 0, start, start + size);
  return chosen(program.constant(mask), own, server);
}

/** One tensor where the mask is 1, the other where it is 0: exact for finite numbers. */
const chosen = (mask: Tensor, one: Tensor, other: Tensor): Tensor =>
  add(multiply(mask, one), multiply(subtract(1, mask), other));

/** A number of each client, [...clients], for every number of a tensor that begins with these axes. */
export function alongClients(number: Tensor, tensor: Tensor): Tensor {
  const rest = tensor.shape.slice(number.shape.length).map(() => 1);
  return reshape(number, [...number.shape, ...rest]);
}

/** What the server of each replica has, for every client. */
function forClients(x: Tensor, replicas: Shape, clients: Shape): Tensor {
  const own = x.shape.slice(replicas.length);
  const once = replicas.length === 0 ? x : reshape(x, [...replicas, 1, ...own]);
  return broadcast(once, [...clients, ...own]);
}

function mapped<A, B>(values: Readonly<Record<string, A>>, change: (x: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function named(names: readonly string[], make: (name: string) => Tensor): Tensors {
  return Object.fromEntries(names.map((name) => [name, make(name)]));
}

/** Entry `index` of the first axis. */
function row(x: Tensor, index: number): Tensor {
  return reshape(slice(x, 0, index, index + 1), x.shape.slice(1));
}
