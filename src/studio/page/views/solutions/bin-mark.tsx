import { inkOn } from "../../../../figures/palette.js";

/** The number of a bin as it stands on the map; without a colour where colours mean clients. */
export function BinMark({ bin, color }: { readonly bin: number; readonly color: string | undefined }) {
  return (
    <span class="bin-mark" style={color ? { background: color, color: inkOn(color) } : {}}>
      {bin}
    </span>
  );
}
