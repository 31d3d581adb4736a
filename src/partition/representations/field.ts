import type { Representation } from "../representation.js";

/** The responses as they are. */
export const field: Representation = {
  describe: "the responses as they are",
  rowsCalled: "responses",
  rows: ({ responses }) => responses,
};
