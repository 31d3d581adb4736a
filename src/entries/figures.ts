// `pde-dirichlet/figures`: figures as SVG, without data or models behind them. Runs in browsers; PNG and PDF are in `/node`.
export { clientBinHeatmap } from "../figures/client-bin-heatmap.js";
export { metricCurves } from "../figures/metric-curves.js";
export { textHeatmap } from "../figures/text-heatmap.js";
