import type { View } from "../../settings.js";

/** A step of the tour: the view that it opens, the part of the page that it points to, and what it says. */
export interface Step {
  readonly view: View;
  /** Value of `data-tour` at the part that is meant. */
  readonly at: string;
  readonly title: string;
  readonly text: string;
}

/** The tour for newcomers. */
export const STEPS: readonly Step[] = [
  {
    view: "data",
    at: "sample",
    title: "PDE data have no labels",
    text: "A sample is an input and the solution that belongs to it. Step through samples with the arrow keys. You can choose another task, or drop in a file of your own: it stays in this page.",
  },
  {
    view: "solutions",
    at: "map",
    title: "Solutions fall into bins",
    text: "Solutions that look alike form a bin. Each point is one solution, drawn by its two principal components. Click a point to see its field.",
  },
  {
    view: "clients",
    at: "alpha",
    title: "Turn the dial",
    text: "α decides how the bins are dealt to clients. At 1000 all clients see the same. At 0.001 most clients see one or two bins.",
  },
  {
    view: "clients",
    at: "distance",
    title: "The split is measured",
    text: "D_sol is the mean transport distance between clients. Read it beside its floor: small clients differ by chance alone.",
  },
  {
    view: "training",
    at: "train",
    title: "Watch clients learn",
    text: "Start, and several runs train side by side in this page. See how error and drift change with α, or with another strategy.",
  },
  {
    view: "clients",
    at: "share",
    title: "Take it with you",
    text: "The address holds everything that you set, and Share shows the commands and the study that give the same result.",
  },
];
