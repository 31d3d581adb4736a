import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RunState } from "../../../../study/study-events.js";
import { change, settings } from "../../../state.js";
import type { GridRun } from "./grid-runs.js";

/** Side of a square and distance of two, in pixels: smaller where runs are many. */
const sizeFor = (count: number) =>
  count <= 600 ? { side: 9, pitch: 11 } : count <= 2000 ? { side: 6, pitch: 8 } : { side: 4, pitch: 5 };

/** A square for each run. Arrow keys go from one to the next, Enter opens it, and a line below says what it is. */
export function RunGrid({ runs }: { readonly runs: readonly GridRun[] }) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [active, setActive] = useState<number>();
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  const { side, pitch } = sizeFor(runs.length);
  const columns = Math.max(1, Math.floor((width + pitch - side) / pitch));
  const rows = Math.ceil(runs.length / columns);
  const opened = settings.value.run;
  const shown = active === undefined ? undefined : runs[active];
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (step !== undefined) {
      setActive(Math.max(0, Math.min(runs.length - 1, active === undefined ? 0 : active + step)));
      event.preventDefault();
    } else if ((event.key === "Enter" || event.key === " ") && shown) {
      toggle(shown.id);
      event.preventDefault();
    }
  };
  const runAt = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / pitch);
    const at = Math.floor((event.clientY - box.top) / pitch) * columns + column;
    return column < columns && at >= 0 && at < runs.length ? at : undefined;
  };
  return (
    <div ref={place} class="study-run-grid">
      <svg
        width={width}
        height={Math.max(side, rows * pitch - (pitch - side))}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its squares are the options of a list
        role="listbox"
        tabIndex={0}
        aria-label="Runs"
        aria-activedescendant={active === undefined ? undefined : `run-${active}`}
        onKeyDown={move}
        onFocus={() => setActive((at) => at ?? 0)}
        onBlur={() => setActive(undefined)}
        onMouseMove={(event) => setActive(runAt(event))}
        onMouseLeave={() => setActive(undefined)}
        onClick={(event) => {
          const at = runAt(event);
          if (at !== undefined) toggle(runs[at].id);
        }}
      >
        {width > 0 &&
          runs.map(({ id, label, state, words, share }, i) => (
            <g
              key={id}
              id={`run-${i}`}
              role="option"
              aria-selected={id === opened}
              aria-label={`${label}: ${words}`}
              class={`study-run ${state}`}
              transform={`translate(${(i % columns) * pitch},${Math.floor(i / columns) * pitch})`}
            >
              <Square state={state} share={share} side={side} />
              {(i === active || id === opened) && (
                <rect class="study-ring" x={-1} y={-1} width={side + 2} height={side + 2} />
              )}
            </g>
          ))}
      </svg>
      <p class="small faint study-run-words">
        {shown
          ? `${shown.label}: ${shown.words}`
          : "Point at a square, or use the arrow keys, to see its run. Click it to open its journal."}
      </p>
    </div>
  );
}

/** Opens the journal of a run, or closes it. */
function toggle(id: string): void {
  change({ run: settings.value.run === id ? "" : id });
}

interface SquareProps {
  readonly state: RunState;
  readonly share: number;
  readonly side: number;
}

/** The mark of a state: full, filling up, with a gap, empty, crossed. */
export function Square({ state, share, side }: SquareProps) {
  const inner = side - 1;
  const frame = <rect class="study-frame" x={0.5} y={0.5} width={inner} height={inner} />;
  switch (state) {
    case "finished":
      return <rect class="study-fill" width={side} height={side} />;
    case "running":
      return (
        <>
          {frame}
          <rect class="study-fill" y={side * (1 - share)} width={side} height={side * share} />
        </>
      );
    case "stopped":
      return (
        <>
          {frame}
          <path
            class="study-stroke"
            d={`M${side * 0.35},${side * 0.25}V${side * 0.75}M${side * 0.65},${side * 0.25}V${side * 0.75}`}
          />
        </>
      );
    case "failed":
      return (
        <>
          <rect class="study-back" width={side} height={side} />
          <path
            class="study-stroke"
            d={`M1.5,1.5L${side - 1.5},${side - 1.5}M${side - 1.5},1.5L1.5,${side - 1.5}`}
          />
        </>
      );
    default:
      return frame;
  }
}
