// `pde-dirichlet/figures`: figures as SVG, without data or models behind them. Runs in browsers; PNG and PDF are in `/node`.

export { metricCurves } from "../figures/metric-curves.js";
export { clientBinHeatmap } from "../figures/partitions/client-bin-heatmap.js";
export { textHeatmap } from "../figures/partitions/text-heatmap.js";
