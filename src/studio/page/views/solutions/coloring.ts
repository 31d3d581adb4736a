import type { SeriesStyle } from "../../../../figures/palette.js";
import type { MapView, SplitView } from "../../../lab/lab.js";
import { clientName } from "./client-words.js";
import { binColors, clientStyles, legibleOn } from "./map/group-styles.js";

/** What colours mean, in the present theme. */
export interface Coloring {
  readonly kind: "bin" | "client";
  readonly styles: readonly SeriesStyle[];
  /** Client of each sample; empty for bins. */
  readonly groupOf: Int32Array;
  /** Names of the clients. */
  readonly names: readonly string[];
}

/** Colours of bins: circles, which the numbers at their centroids tell apart. */
export function binColoring({ centroids }: Pick<MapView, "centroids">, ground: string): Coloring {
  const styles = binColors(centroids).map((color) => ({
    color: legibleOn(color, ground),
    symbol: "circle" as const,
  }));
  return { kind: "bin", styles, groupOf: new Int32Array(), names: [] };
}

/** Colours and markers of clients. */
export function clientColoring(split: SplitView, ground: string): Coloring {
  const styles = clientStyles(split.clients).map(({ color, symbol }) => ({
    color: legibleOn(color, ground),
    symbol,
  }));
  const names = styles.map((_, client) => clientName(split, client));
  return { kind: "client", styles, groupOf: split.clientOfSample, names };
}
