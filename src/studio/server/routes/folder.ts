import type { Route } from "../route.js";

/** What is open. */
export const folderRoute: Route = {
  method: "GET",
  path: "folder",
  answer: async (_, { opened }) => ({ json: { opened: opened ?? null } }),
};
