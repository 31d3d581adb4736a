import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Mathematics } from "../parts/mathematics.js";
import { pixels } from "../parts/pixels.js";
import { change } from "../state.js";
import { STEPS } from "./steps.js";
import "./tour.css";

const SEEN = "pde-dirichlet-tour";

/** The step that is shown; undefined while there is no tour. */
const step = signal<number | undefined>(undefined);
const isNew = signal(localStorage.getItem(SEEN) === null);

/** Starts the tour. Until it was taken once, the button stands out. */
export function TourButton() {
  return (
    <button type="button" class={isNew.value ? "primary" : "plain"} onClick={() => goTo(0)}>
      Tour
    </button>
  );
}

function goTo(next: number | undefined): void {
  if (next !== undefined && next < STEPS.length) {
    change({ view: STEPS[next].view });
    step.value = next;
    return;
  }
  step.value = undefined;
  isNew.value = false;
  localStorage.setItem(SEEN, "seen");
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Room between the part that is meant and its frame, and between the frame and the card. */
const [FRAME, ROOM, CARD_WIDTH, CARD_HEIGHT] = [4, 10, 320, 190];

/** The card of the present step, beside the part of the page that it explains. */
export function Tour() {
  const at = step.value;
  const card = useRef<HTMLDivElement>(null);
  const [box, setBox] = useState<Box>();
  useLayoutEffect(() => {
    if (at === undefined) return;
    let isShown = false;
    const place = () => {
      const part = partOf(STEPS[at].at);
      // On a small screen the part may lie below what is seen. Once it is there, the page is the visitor's to scroll.
      if (part && !isShown) part.scrollIntoView({ block: "nearest" });
      isShown ||= part !== undefined;
      setBox(part && boxOf(part));
    };
    place();
    // The view may still be growing: what is meant moves.
    const timer = setInterval(place, 250);
    addEventListener("resize", place);
    return () => {
      clearInterval(timer);
      removeEventListener("resize", place);
    };
  }, [at]);
  useEffect(() => {
    if (at !== undefined) card.current?.focus();
  }, [at]);
  if (at === undefined) return null;
  const { title, text } = STEPS[at];
  const isLast = at === STEPS.length - 1;
  return (
    <>
      {box && <div class="tour-frame" style={pixels({ ...box })} />}
      <div
        ref={card}
        class="tour-card"
        role="dialog"
        aria-label={`Tour, step ${at + 1} of ${STEPS.length}: ${title}`}
        tabIndex={-1}
        style={pixels(cardPlace(box))}
        onKeyDown={(event) => {
          if (event.key === "Escape") goTo(undefined);
          if (event.key === "ArrowRight") goTo(at + 1);
          if (event.key === "ArrowLeft" && at > 0) goTo(at - 1);
        }}
      >
        <h2>{title}</h2>
        <p>
          <Mathematics text={text} />
        </p>
        <div class="tour-buttons">
          <span class="faint small">
            {at + 1} of {STEPS.length}
          </span>
          <button type="button" class="plain" onClick={() => goTo(undefined)}>
            {isLast ? "Close" : "Leave"}
          </button>
          {at > 0 && (
            <button type="button" class="plain" onClick={() => goTo(at - 1)}>
              Back
            </button>
          )}
          {!isLast && (
            <button type="button" class="primary" onClick={() => goTo(at + 1)}>
              Next
            </button>
          )}
        </div>
      </div>
    </>
  );
}

/** The part of the page that a step points to, once there is something in it. */
function partOf(name: string): Element | undefined {
  const found = document.querySelector(`[data-tour="${name}"]`);
  return found && found.getBoundingClientRect().width > 0 ? found : undefined;
}

function boxOf(part: Element): Box {
  const { left, top, width, height } = part.getBoundingClientRect();
  return { left: left - FRAME, top: top - FRAME, width: width + 2 * FRAME, height: height + 2 * FRAME };
}

/** Below the part, else above it, else over its lower end; in the middle where the part is not to be seen. */
function cardPlace(box: Box | undefined): { readonly left: number; readonly top: number } {
  const most = { left: innerWidth - CARD_WIDTH - ROOM, top: innerHeight - CARD_HEIGHT - ROOM };
  if (!box) return { left: most.left / 2, top: most.top / 2 };
  const below = box.top + box.height + ROOM;
  const above = box.top - CARD_HEIGHT - ROOM;
  const top = below <= most.top ? below : above >= ROOM ? Math.min(above, most.top) : most.top;
  return { left: Math.max(ROOM, Math.min(box.left, most.left)), top: Math.max(ROOM, top) };
}
