import type { ComponentType } from "preact";
import type { View } from "../settings.js";
import { ClientsPane } from "./views/clients/pane.js";
import { ClientsSide } from "./views/clients/side.js";
import { DataPane } from "./views/data/pane.js";
import { DataSide } from "./views/data/side.js";
import { SolutionsPane } from "./views/solutions/pane.js";
import { SolutionsSide } from "./views/solutions/side.js";
import { StudiesPane } from "./views/studies/pane.js";
import { StudiesSide } from "./views/studies/side.js";
import { TrainingPane } from "./views/training/pane.js";
import { TrainingSide } from "./views/training/side.js";

interface ViewEntry {
  readonly title: string;
  /** What can be set, at the left. */
  readonly Side: ComponentType;
  readonly Main: ComponentType;
}

/** The views by the name that the address has, in the order of the tabs. */
export const VIEW_ENTRIES: Readonly<Record<View, ViewEntry>> = {
  data: { title: "Data", Side: DataSide, Main: DataPane },
  solutions: { title: "Solutions", Side: SolutionsSide, Main: SolutionsPane },
  clients: { title: "Clients", Side: ClientsSide, Main: ClientsPane },
  training: { title: "Training", Side: TrainingSide, Main: TrainingPane },
  studies: { title: "Studies", Side: StudiesSide, Main: StudiesPane },
};
