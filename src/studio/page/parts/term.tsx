import { useId, useRef, useState } from "preact/hooks";
import { type Entry, GLOSSARY, type TermName } from "../glossary.js";
import { Mathematics } from "./mathematics.js";
import { pixels } from "./pixels.js";

interface TermProps {
  readonly name: TermName;
  /** Another wording than the label. */
  readonly children?: string;
}

/** A symbol or word of the glossary, which explains itself on hover and on focus. */
export function Term({ name, children }: TermProps) {
  return <Explained entry={GLOSSARY[name]}>{children}</Explained>;
}

/** A word that explains itself, wherever its explanation comes from. */
export function Explained({ entry, children }: { readonly entry: Entry; readonly children?: string }) {
  const { label, meaning, formula } = entry;
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const [place, setPlace] = useState<{ readonly left: number; readonly top: number }>();
  const show = () => {
    const { left, bottom } = anchor.current!.getBoundingClientRect();
    setPlace({
      left: Math.max(8, Math.min(left, innerWidth - 336)),
      top: Math.min(bottom + 6, innerHeight - 96),
    });
  };
  const hide = () => setPlace(undefined);
  return (
    <>
      <span
        ref={anchor}
        class="term"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards reach explanations too
        tabIndex={0}
        role="note"
        aria-describedby={id}
        onMouseEnter={show}
        onMouseLeave={hide}
        onFocus={show}
        onBlur={hide}
        onKeyDown={(event) => event.key === "Escape" && hide()}
      >
        <Mathematics text={children ?? label} />
      </span>
      <span id={id} role="tooltip" class={place ? "tip" : "visually-hidden"} style={place && pixels(place)}>
        <Mathematics text={meaning} />
        {formula !== undefined && (
          <span class="formula" style={{ display: "block" }}>
            <Mathematics text={formula} />
          </span>
        )}
      </span>
    </>
  );
}
