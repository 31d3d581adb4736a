import type { StudyEvent } from "../../../study/study-events.js";
import { addressOfRoute } from "../../server-api.js";

/** Milliseconds until a lost connection is tried again, and until events that came together are taken together. */
const [AGAIN, TOGETHER] = [2000, 150];

export interface StreamListener {
  /** The connection stands again: what comes now is the whole. */
  readonly onOpen: () => void;
  readonly onEvents: (events: readonly StudyEvent[]) => void;
  /** There is nothing to listen to: the server does not answer, or it answers that there is no such folder. */
  readonly onLost: (why: "lost" | "gone") => void;
}

/** Listens to what happens in the folder of a study, until it is closed. A connection that is lost is tried again. */
export function listenTo(study: string, { onOpen, onEvents, onLost }: StreamListener): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: StudyEvent[] = [];
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let isWanted = true;
  const flush = () => {
    flushing = undefined;
    const events = waiting;
    waiting = [];
    onEvents(events);
  };
  const open = () => {
    source = new EventSource(addressOfRoute("study/events", { study }));
    source.onopen = () => {
      waiting = [];
      onOpen();
    };
    source.onmessage = ({ data }) => {
      waiting.push(JSON.parse(data));
      flushing ??= setTimeout(flush, TOGETHER);
    };
    source.onerror = () => {
      // Not left to the browser, which gives up where the server answers with a refusal.
      source?.close();
      fetch(addressOfRoute("folder")).then(
        ({ ok }) => isWanted && onLost(ok ? "gone" : "lost"),
        () => isWanted && onLost("lost"),
      );
      timer = setTimeout(open, AGAIN);
    };
  };
  open();
  return () => {
    isWanted = false;
    source?.close();
    clearTimeout(timer);
    clearTimeout(flushing);
  };
}
