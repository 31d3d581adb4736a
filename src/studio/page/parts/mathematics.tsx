import { runs } from "../../../analysis/notation.js";

/** A line with its mathematics set as the figures set it: `D_sol = 0.45` has an italic D and an upright subscript. */
export function Mathematics({ text }: { readonly text: string }) {
  return (
    <>
      {runs(text).map(({ text: part, italic, script }, i) => {
        const inner = italic ? <i>{part}</i> : part;
        if (script === "sub") return <sub key={i}>{inner}</sub>;
        if (script === "super") return <sup key={i}>{inner}</sup>;
        return <span key={i}>{inner}</span>;
      })}
    </>
  );
}
