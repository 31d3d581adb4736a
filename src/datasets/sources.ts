import { type DataSource, sourceIn } from "./source.js";
import { antiderivative } from "./sources/antiderivative.js";
import { burgers } from "./sources/burgers.js";
import { cylinder } from "./sources/cylinder.js";
import { damBreak } from "./sources/dam-break.js";
import { darcy } from "./sources/darcy.js";
import { diffusionReaction } from "./sources/diffusion-reaction.js";
import { flatVelocity } from "./sources/flat-velocity.js";

/** The list of data sources. A new one is a file of its own and a line here. */
export const SOURCES: Readonly<Record<string, DataSource>> = {
  antiderivative,
  burgers,
  "diffusion-reaction": diffusionReaction,
  darcy,
  "dam-break": damBreak,
  cylinder,
  "flat-velocity": flatVelocity,
};

export const SOURCE_NAMES: readonly string[] = Object.keys(SOURCES);

/** A source by its name; an unknown name is an `OptionError` that lists those there are. */
export const sourceOf = (name: string): DataSource => sourceIn(SOURCES, name);

/** Whether data can be generated under this name. */
export const isSource = (name: string): boolean => Object.hasOwn(SOURCES, name);

/** Sources that have a parameter of this name. */
export const ownersOf = (parameter: string): readonly string[] =>
  SOURCE_NAMES.filter((name) => Object.hasOwn(SOURCES[name].parameters, parameter));
