import { UserError } from "../../errors.js";

/** A run that another process works on, or has taken over. */
export class HeldElsewhere extends UserError {
  override name = "HeldElsewhere";
}
