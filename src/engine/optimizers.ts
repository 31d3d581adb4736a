import { add, divide, multiply, sqrt, subtract } from "./operations.js";
import type { Tensor } from "./program.js";

/** Parameters and the optimiser's state, all of one shape: `[parameters]`, or `[replicas, parameters]`. */
export interface OptimizerStep {
  readonly parameters: Tensor;
  readonly state: readonly Tensor[];
}

/** A local optimiser as a pure update, so that a client's state is plain data that can be kept, reset or averaged. */
export interface Optimizer {
  /** Names of the tensors that it remembers, each of the parameters' shape and zero before the first step. */
  readonly stateVectors: readonly string[];
  /** Those of them that only scale a step: a tiny number added to one moves no weight. */
  readonly scales: readonly string[];
  /**
   * Numbers that step 1, 2, ... needs and that are the same for all parameters. Where vectors that scale a step have
   * another age than the others, it is `scaleStep`.
   */
  coefficients(step: number, scaleStep?: number): readonly number[];
  /** One step; `coefficients` are scalars. */
  update(
    parameters: Tensor,
    gradient: Tensor,
    state: readonly Tensor[],
    coefficients: readonly Tensor[],
  ): OptimizerStep;
}

/** As many steps may follow on `awayFromZero` before the state needs it again. */
export const STEPS_AWAY_FROM_ZERO = 100;

/**
 * A state that stays out of float32's subnormal numbers, with which processors are several times slower: the memory
 * of a weight whose gradient has become zero (a dead ReLU unit) would decay into them and remain. What is added is far
 * below the last digit of any gradient that matters.
 */
export const awayFromZero = (state: Tensor): Tensor => add(state, 1e-30);

export interface AdamOptions {
  /** Learning rate; 1e-3 by default. */
  readonly rate?: number;
  /** Decay of the mean of gradients a step; 0.9 by default. */
  readonly beta1?: number;
  /** Decay of the mean of squared gradients a step; 0.999 by default. */
  readonly beta2?: number;
  /** Added to the root of that mean; 1e-8 by default. */
  readonly epsilon?: number;
}

/**
 * Adam (Kingma and Ba 2015, Algorithm 1), as PyTorch computes it. The state holds the two moments without their
 * factors 1 - beta: these go into the bias corrections, which are numbers and not vectors.
 */
export function adam({
  rate = 1e-3,
  beta1 = 0.9,
  beta2 = 0.999,
  epsilon = 1e-8,
}: AdamOptions = {}): Optimizer {
  return {
    stateVectors: ["first", "second"],
    scales: ["second"],
    coefficients(step, scaleStep = step) {
      const correction1 = (1 - beta1) / (1 - beta1 ** step);
      const correction2 = Math.sqrt((1 - beta2) / (1 - beta2 ** scaleStep));
      return [(rate * correction1) / correction2, epsilon / correction2];
    },
    update(parameters, gradient, [first, second], [factor, offset]) {
      const newFirst = add(multiply(first, beta1), gradient);
      const newSecond = add(multiply(second, beta2), multiply(gradient, gradient));
      const direction = divide(newFirst, add(sqrt(newSecond), offset));
      return { parameters: subtract(parameters, multiply(direction, factor)), state: [newFirst, newSecond] };
    },
  };
}

export interface SgdOptions {
  /** Learning rate; 1e-2 by default. */
  readonly rate?: number;
  /** Decay of the velocity a step; 0.9 by default, 0 for plain gradient descent. */
  readonly momentum?: number;
}

/** Stochastic gradient descent with momentum, as PyTorch computes it: v <- momentum v + g, theta <- theta - rate v. */
export function sgd({ rate = 1e-2, momentum = 0.9 }: SgdOptions = {}): Optimizer {
  return {
    stateVectors: momentum === 0 ? [] : ["momentum"],
    scales: [],
    coefficients: () => [],
    update(parameters, gradient, [velocity]) {
      const newVelocity = velocity ? add(multiply(velocity, momentum), gradient) : gradient;
      const state = velocity ? [newVelocity] : [];
      return { parameters: subtract(parameters, multiply(newVelocity, rate)), state };
    },
  };
}
