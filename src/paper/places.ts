/** The paper's labels with the numbers that its text gives them, counted in the order of the text. */
const PLACES: Readonly<Record<string, string>> = {
  abstract: "Abstract",
  "sec:theory": "Section 2.1",
  "sec:result-partition": "Section 2.2",
  "sec:result-controlled": "Section 2.3",
  "sec:result-ablation": "Section 2.4",
  "sec:result-public": "Section 2.5",
  "sec:result-synthesis": "Section 2.6",
  "sec:problem": "Section 4.1",
  "sec:method": "Section 4.2",
  "sec:experiments": "Section 4.3",
  "tab:alpha001-summary": "Table 1",
  "tab:distance-comparison": "Table 2",
  "tab:controlled-tasks": "Table 3",
  "tab:public-tasks": "Table 4",
  "fig:formal-drift": "Figure 4",
  "fig:formal-mechanisms": "Figure 5",
  "fig:public-drift": "Figure 8",
  "fig:public-mechanisms": "Figure 9",
  "fig:public-seeds": "Figure S4",
  "eq:app-exact-alpha": "Appendix C, exact concentration law",
  "lem:app-dirichlet-moments": "Appendix C, symmetric Dirichlet moments",
  "eq:app-normalization": "Appendix C, effect of client-mass normalization",
  "eq:app-tv": "Appendix D, transport–norm equivalence",
  "eq:app-HW-Hq": "Appendix D, transport heterogeneity",
  "eq:app-gradient-identity": "Appendix E, gradients of mixtures",
  "eq:app-gradient-restricted": "Appendix E, restricted gradient identifiability",
  "eq:app-gradient-sandwich": "Appendix E, bin-to-gradient transfer",
  "eq:app-physical-gradient": "Appendix E, transport and gradients",
  "eq:app-local-bound": "Appendix F, first-order local-drift law",
  "eq:app-local-leading": "Appendix F, leading order",
  "eq:app-sgd": "Appendix F, mini-batches",
  "eq:app-second-drift": "Appendix G, second-order trajectory drift",
  "thm:app-trajectory": "Appendix G, one local step",
  "eq:app-local-second": "Appendix G, one client's path",
  "eq:app-drift-upper": "Appendix G, upper bound",
  "eq:app-drift-upper-final": "Appendix G, upper bound of the drift",
  "eq:app-alignment": "Appendix G, curvature–gradient alignment",
  "eq:app-alpha-drift": "Appendix G, conditional concentration dependence",
  "eq:app-risk-bound": "Appendix H, risk perturbation",
  "eq:app-risk-lower": "Appendix H, lower bound",
  "eq:app-quadratic": "Appendix I, two-bin quadratic witness",
  "eq:app-finite-Hq": "Appendix J, finite-partition stability of profiles",
  "eq:app-finite-Hg": "Appendix J, finite-partition stability of gradients",
};

/** "Section 2.2, Table 1" for "sec:result-partition, tab:alpha001-summary": readers of the paper see no labels. */
export function placeOf(labels: string): string {
  return labels
    .split(", ")
    .map((label) => {
      const place = PLACES[label];
      if (place === undefined) throw new RangeError(`no place in the paper is known for "${label}"`);
      return place;
    })
    .join(", ");
}
