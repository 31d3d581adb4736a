import type { Route } from "../route.js";
import { loadContent } from "../studies/load-content.js";

/** The figures of the report on the runs that pass a filter, one after another as they are drawn. */
export const studyFiguresRoute: Route = {
  method: "GET",
  path: "study/figures",
  answer: async (question, context) => {
    const { figure } = await loadContent(question, context);
    return {
      events: async (send, signal) => {
        for (let place = 0; !signal.aborted; place++) {
          const drawn = await figure(place);
          if (!drawn) break;
          send(drawn);
        }
        send(null); // an event that says that there is no other
      },
    };
  },
};
