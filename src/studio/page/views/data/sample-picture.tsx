import { useMemo, useRef } from "preact/hooks";
import type { SamplePanel, SamplePanels } from "../../../../figures/samples/sample-panel.js";
import { textWidth } from "../../../../figures/typography.js";
import { ColorBar } from "../../parts/field/color-bar.js";
import { AROUND_FRAME, PanelView, roomAtLeft } from "../../parts/field/panel-view.js";
import { Mathematics } from "../../parts/mathematics.js";
import { useSizeOf } from "../../parts/size-of.js";
import { type Cell, panelRows, type Run } from "./panel-rows.js";
import type { Scales } from "./sample-colors.js";

interface SamplePictureProps {
  readonly panels: SamplePanels;
  readonly scales: Scales;
  /** What screen readers call it. */
  readonly label: string;
}

/** A sample, as large as its place allows: inputs, then responses. */
export function SamplePicture({ panels, scales, label }: SamplePictureProps) {
  const place = useRef<HTMLDivElement>(null);
  const room = useSizeOf(place);
  const arranged = useMemo(() => room && panelRows(panels, scales.ticks, room), [panels, scales, room]);
  return (
    <div class="picture-room" ref={place}>
      <section class="picture" aria-label={label} data-tour="sample">
        {arranged?.rows.map((runs, r) => (
          <div class="picture-row" key={r}>
            {runs.map((run, i) => (
              <PanelRun key={i} run={run} scales={scales} height={arranged.height} />
            ))}
          </div>
        ))}
      </section>
    </div>
  );
}

/** Widest colour bar. */
const WIDEST_BAR = 260;

/** Panels of one quantity, above their colour bar. */
function PanelRun({ run, scales, height }: { run: Run; scales: Scales; height: number }) {
  const [{ panel }] = run.cells;
  const width = run.cells.reduce((sum, { panel: one }) => sum + Math.round(height * one.aspect), 0);
  const scale = scales.colors.get(panel.quantity);
  return (
    <div class="picture-run">
      <div class="picture-panels">
        {run.cells.map((cell, i) => (
          <TitledPanel key={i} cell={cell} scales={scales} height={height} />
        ))}
      </div>
      {run.hasBar && scale && (
        <div style={besideFrame(run.cells[0], scales)}>
          <ColorBar
            scale={scale}
            label={panel.quantity}
            width={Math.min(WIDEST_BAR, width)}
            isCut={scales.cut.has(panel.quantity)}
          />
        </div>
      )}
    </div>
  );
}

/** Room beside the frame of a panel: what stands above and below it is centred over the frame alone. */
function besideFrame({ panel, sharesVertical }: Cell, { ticks }: Scales): Record<string, string> {
  const left = roomAtLeft(panel, ticks.get(panel.quantity), !sharesVertical);
  return { paddingLeft: `${left}px`, paddingRight: `${AROUND_FRAME.right}px` };
}

/** Title and place of a panel; of a narrow one the place alone. */
function headingOf({ title = "", place, subtitle }: SamplePanel, width: number): string {
  const where = place ?? subtitle?.trim() ?? "";
  const whole = [title, where].filter(Boolean).join(", ");
  return where !== "" && textWidth(whole, TITLE_SIZE) > width + AROUND_FRAME.right + TITLE_OVERHANG
    ? where
    : whole;
}

/** Pixels of the letters of a title, and by how much it may stand over the frame at both sides together. */
const [TITLE_SIZE, TITLE_OVERHANG] = [13, 30];

function TitledPanel({ cell, scales, height }: { cell: Cell; scales: Scales; height: number }) {
  const { panel, half, sharesVertical, sharesHorizontal } = cell;
  const heading = headingOf(panel, Math.round(height * panel.aspect));
  return (
    <figure class={`titled-panel ${half}`}>
      <figcaption style={besideFrame(cell, scales)}>
        <span>
          <Mathematics text={heading} />
        </span>
      </figcaption>
      <PanelView
        panel={panel}
        scale={scales.colors.get(panel.quantity)}
        ticks={scales.ticks.get(panel.quantity)}
        height={height}
        hasVertical={!sharesVertical}
        hasHorizontal={!sharesHorizontal}
      />
    </figure>
  );
}
