import * as Plot from "@observablehq/plot";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { theme } from "./theme-button.js";

interface PlotFigureProps {
  /** The plot for a width in pixels; colours as `var(--ink)`, so that both themes fit. */
  readonly options: (width: number) => Plot.PlotOptions;
  /** What screen readers call it. */
  readonly label: string;
  /** What `options` depends on besides the width. */
  readonly of: readonly unknown[];
  readonly height?: number;
}

/** A plot as wide as its place. */
export function PlotFigure({ options, label, of, height = 220 }: PlotFigureProps) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (width < 40) return;
    const made = Plot.plot({ height, width, ...options(width) });
    // Plot's own style element is one that the page's security policy refuses; parts.css has what it says.
    for (const style of made.querySelectorAll("style")) style.remove();
    made.removeAttribute("style");
    // The figure has a name; Plot's own for every mark are on elements that may have none.
    for (const mark of made.querySelectorAll("[aria-label]")) mark.removeAttribute("aria-label");
    place.current!.replaceChildren(made);
  }, [width, height, theme.value, ...of]);
  return <div ref={place} class="plot" role="img" aria-label={label} style={{ minHeight: `${height}px` }} />;
}
