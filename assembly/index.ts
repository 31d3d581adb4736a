export {
  assign,
  chooseForTrials,
  chooseUndecided,
  moveRows,
  recentre,
  squaresBetween,
  tighten,
  tryCentres,
} from "./k-means";
export { link, outlet, relax, still } from "./lattice";
export {
  addColumns32,
  addColumns64,
  deviations32,
  deviations64,
  normalise32,
  normalise64,
} from "./moments";
export { pairwise } from "./pairwise";
export { boundTrials, project, sketchRows } from "./sketch";
