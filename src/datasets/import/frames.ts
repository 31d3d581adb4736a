import { OptionError } from "../../errors.js";

export interface FrameOptions {
  /** The frame that is the input. Default: 0. */
  readonly inputFrame?: number;
  /** The frame that is the response. */
  readonly targetFrame?: number;
}

/** Refuses a response that is not after its input, or that no frame of the series is. */
export function checkFrames(name: string, frames: number, lastInput: number, target: number): void {
  checkOrder(lastInput, target);
  if (target >= frames)
    throw new OptionError(
      `${name} has frames 0 to ${frames - 1}: choose an earlier --target-frame than ${target}`,
    );
}

/** Refuses a response that is not after its input. */
export function checkOrder(lastInput: number, target: number): void {
  if (target <= lastInput)
    throw new OptionError(`the target frame, ${target}, does not lie after input frame ${lastInput}`);
}
