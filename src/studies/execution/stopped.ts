/** A run that was told to stop; its state is saved. */
export class Stopped extends Error {
  override name = "Stopped";
  constructor() {
    super("stopped");
  }
}
