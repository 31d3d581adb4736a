import { NothingThere } from "../inside.js";
import type { Route } from "../route.js";
import { studyFolder } from "../studies/study-folder.js";

/** Where a study stands, and from then on what changes. */
export const studyEventsRoute: Route = {
  method: "GET",
  path: "study/events",
  answer: async (question, context) => {
    // What may not be read is refused at once; a folder that is not there may come.
    await studyFolder(question, context).catch((error) => {
      if (!(error instanceof NothingThere)) throw error;
    });
    // Strategies, whose names it tells, take a while to load.
    const { followStudy } = await import("../studies/follow-study.js");
    return {
      events: (send, signal) => followStudy(() => studyFolder(question, context), send, signal),
    };
  },
};
