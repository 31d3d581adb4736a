import { add, divide, exp, multiply, negate, sqrt, subtract, tanh } from "./operations.js";
import type { Tensor } from "./program.js";

/** Parameters and the optimiser's state, all of one shape: `[parameters]`, or `[replicas, parameters]`. */
export interface OptimizerStep {
  readonly parameters: Tensor;
  readonly state: readonly Tensor[];
}

/** A local optimiser as a pure update, so that a client's state is plain data that can be kept, reset or averaged. */
export interface Optimizer {
  /** How many tensors of the parameters' shape it remembers. */
  readonly stateVectors: number;
  /** The state before the first step, for `size` numbers in all. */
  init(size: number): Float32Array[];
  /**
   * One step. `step` counts from 1 in the first one; a scalar, or `[replicas, 1]` where replicas have taken different
   * numbers of steps.
   */
  update(parameters: Tensor, gradient: Tensor, state: readonly Tensor[], step: Tensor): OptimizerStep;
}

/**
 * Added to gradients before they enter a decaying mean. Without it the memory of a weight whose gradient has become
 * zero (a dead ReLU unit) ends in float32's subnormal numbers, for good, with which processors are several times slower.
 * Far below the last digit of any gradient that matters.
 */
const TINY = 1e-30;

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
    stateVectors: 2,
    init: (size) => zeros(2, size),
    update(parameters, gradient, [first, second], step) {
      const correction1 = divide(1 - beta1, oneMinusPower(beta1, step));
      const correction2 = sqrt(divide(1 - beta2, oneMinusPower(beta2, step)));
      const newFirst = add(multiply(first, beta1), add(gradient, TINY));
      const newSecond = add(multiply(second, beta2), multiply(gradient, gradient));
      const direction = divide(newFirst, add(sqrt(newSecond), divide(epsilon, correction2)));
      const factor = multiply(rate, divide(correction1, correction2));
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
  const stateVectors = momentum === 0 ? 0 : 1;
  return {
    stateVectors,
    init: (size) => zeros(stateVectors, size),
    update(parameters, gradient, [velocity]) {
      const newVelocity = velocity ? add(multiply(velocity, momentum), add(gradient, TINY)) : gradient;
      const state = velocity ? [newVelocity] : [];
      return { parameters: subtract(parameters, multiply(newVelocity, rate)), state };
    },
  };
}

/**
 * 1 - beta^t. Written as -expm1(t ln beta) = -tanh(z/2) (1 + exp z), since in float32 the subtraction would leave
 * four digits of 1 - 0.999.
 */
function oneMinusPower(beta: number, t: Tensor): Tensor {
  const z = multiply(t, Math.log(beta));
  return negate(multiply(tanh(multiply(z, 0.5)), add(exp(z), 1)));
}

function zeros(vectors: number, size: number): Float32Array[] {
  return Array.from({ length: vectors }, () => new Float32Array(size));
}
