import { OptionError } from "../../errors.js";
import { chosenModel } from "../../federation/chosen-model.js";
import type { RunOptions } from "../../federation/run-options.js";
import type { Activation } from "../../models/activation.js";

/** What the checks of the theory need to know of a model. */
interface CheckedModel {
  /** A smooth activation and one with a kink; the checks compare both. */
  readonly smooth: Activation;
  readonly kinked: Activation;
  /** Largest number of samples in one Hessian product: more are no faster, or need over 3 GB. */
  readonly hessianSamples: number;
}

const CHECKED_MODELS: Readonly<Record<string, CheckedModel>> = {
  deeponet: { smooth: "tanh", kinked: "relu", hessianSamples: 256 },
  fno: { smooth: "gelu", kinked: "relu", hessianSamples: 16 },
  "inversion-net": { smooth: "tanh", kinked: "leaky-relu", hessianSamples: 1 },
};

export function checkedModel(options: Pick<RunOptions, "task" | "data" | "model">): CheckedModel {
  const { name } = chosenModel(options);
  if (!Object.hasOwn(CHECKED_MODELS, name))
    throw new OptionError(
      `the theory can be checked with ${Object.keys(CHECKED_MODELS).join(", ")}, not with ${name}`,
    );
  return CHECKED_MODELS[name];
}
