import type { Participant } from "../participation/participant.js";
import { optimizerOf } from "../run-options.js";
import { scheduleOf } from "../schedule.js";
import { strategyOf } from "../strategies/strategies.js";
import { stateRule } from "./client-vectors.js";
import { INPUTS, type ProgramOptions } from "./program-inputs.js";

type Values = Record<string, Float64Array>;

/**
 * What the optimiser needs to know of every step of a round, [steps, clients]. A state that is reset counts steps anew.
 *
 * @param before steps that each client took before; one number where all have the same
 */
export function coefficients(before: readonly number[], steps: number, options: ProgramOptions): Values {
  const { coefficients: numbersAt, stateVectors, scales } = optimizerOf(options.optimizer);
  const isReset = (isScale: boolean) => {
    const vector = stateVectors.find((name) => scales.includes(name) === isScale);
    return vector !== undefined && stateRule(options, vector) === "reset";
  };
  const [isMeanReset, isScaleReset] = [isReset(false), isReset(true)];
  const ofSteps = Array.from({ length: steps }, (_, step) =>
    before.map((taken) =>
      numbersAt((isMeanReset ? 0 : taken) + step + 1, (isScaleReset ? 0 : taken) + step + 1),
    ),
  ).flat();
  return numbered(ofSteps, INPUTS.coefficient);
}

/** What the server needs to know of a round. */
export function serverCoefficients(round: number, options: ProgramOptions): Values {
  return {
    ...numbered([strategyOf(options).coefficients?.(round) ?? []], INPUTS.serverCoefficient),
    ...rate(INPUTS.serverRate, options.serverSchedule, round, options),
  };
}

/** What clients need to know of a round besides their optimisers' coefficients. */
export function clientCoefficients(
  round: number,
  present: readonly Pick<Participant, "steps" | "before">[],
  options: ProgramOptions,
): Values {
  const { clientCoefficients: of } = strategyOf(options);
  const factor = factorAt(options.clientSchedule, round, options);
  const ofClients = of && present.map((one) => of(one, factor));
  return {
    ...(ofClients && numbered(ofClients, INPUTS.clientCoefficient)),
    ...rate(INPUTS.clientRate, options.clientSchedule, round, options),
  };
}

function rate(name: string, text: string | undefined, round: number, options: ProgramOptions): Values {
  if (text === undefined) return {};
  return { [name]: Float64Array.of(factorAt(text, round, options)) };
}

const factorAt = (text: string | undefined, round: number, options: ProgramOptions): number =>
  scheduleOf(text, options)?.(round) ?? 1;

/** The i-th numbers of all lists under the i-th name. */
function numbered(lists: readonly (readonly number[])[], name: (index: number) => string): Values {
  return Object.fromEntries(
    lists[0].map((_, i) => [name(i), Float64Array.from(lists, (numbers) => numbers[i])]),
  );
}
