import { type Scheduler, wholeNumberIn } from "./scheduler.js";

/** Indexed jobs of Kubernetes (`completionMode: Indexed`), which count from 0. A pod's name is that of its host. */
export const kubernetes: Scheduler = {
  title: "Kubernetes",
  job: ({ KUBERNETES_SERVICE_HOST, HOSTNAME }) => (KUBERNETES_SERVICE_HOST ? HOSTNAME : undefined),
  arrayTask(environment) {
    const index = wholeNumberIn(environment, "JOB_COMPLETION_INDEX");
    if (index === undefined) return undefined;
    return { index, variable: "JOB_COMPLETION_INDEX", first: 0, count: undefined };
  },
  granted: () => ({ cores: undefined, gpus: undefined }),
};
