import type { Route } from "../route.js";
import { findStudies } from "../studies/find-studies.js";

/** The studies below the folder that is open; none where nothing is open. */
export const studiesRoute: Route = {
  method: "GET",
  path: "studies",
  answer: async (_, { folder }) => ({ json: folder === undefined ? [] : await findStudies(folder) }),
};
