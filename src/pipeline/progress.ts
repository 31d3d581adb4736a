/** Progress of one step of long work. */
export interface StepProgress {
  update(done: number, total: number): void;
  /** Ends the step with its result in words. */
  finish(summary: string): void;
}

/** Starts a step under a name. Whoever shows progress passes one; the default shows nothing. */
export type StartStep = (name: string) => StepProgress;

export const silentSteps: StartStep = () => ({ update: () => {}, finish: () => {} });
