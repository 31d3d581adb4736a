import { OptionError } from "../../errors.js";
import type { ParameterLayout } from "../../models/parameter-layout.js";

/**
 * Which parameters a pattern names: `branch.*` all of the branch network, `branch.*, bias` several; `*` stands for any
 * number of characters.
 */
export function localParts(patterns: string): (block: string) => boolean {
  const parts = patterns.split(",").map((pattern) => {
    const literal = pattern
      .trim()
      .split("*")
      .map((text) => text.replace(/[.\\^$+?()[\]{}|]/g, "\\$&"));
    return new RegExp(`^${literal.join(".*")}$`);
  });
  return (block) => parts.some((part) => part.test(block));
}

/** Refuses patterns that match no parameter of a model, or all of them. */
export function checkLocalParts(layout: ParameterLayout, patterns: string | undefined): void {
  if (patterns === undefined) return;
  const matches = (pattern: string) => layout.filter(({ name }) => localParts(pattern)(name)).length;
  const names = layout.map(({ name }) => name).join(", ");
  const idle = patterns.split(",").find((pattern) => matches(pattern) === 0);
  if (idle !== undefined)
    throw new OptionError(`local "${idle.trim()}" matches no parameters of the model, which are ${names}`);
  if (matches(patterns) === layout.length)
    throw new OptionError(
      `local "${patterns}" matches all parameters, so that nothing is shared: take the strategy local-only`,
    );
}
