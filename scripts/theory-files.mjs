/** Where the page of the theory, its figures and its evidence lie within docs/results. */
export const THEORY_FILES = {
  figures: "theory/figures",
  evidence: "theory/evidence.json",
  command: "pde-dirichlet theory --out out/theory    # node scripts/theory.mjs writes this page",
};
