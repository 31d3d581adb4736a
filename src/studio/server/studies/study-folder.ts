import { FileError } from "../../../errors.js";
import { inside } from "../inside.js";
import type { Question, StudioContext } from "../route.js";

/** The folder that is open; without one there are no studies. */
export function openFolder({ folder }: StudioContext): string {
  if (folder === undefined)
    throw new FileError("no folder is open: start the studio with one, such as pde-dirichlet studio out");
  return folder;
}

/** The real path of the folder of the study that is asked for. */
export const studyFolder = ({ query }: Pick<Question, "query">, context: StudioContext): Promise<string> =>
  inside(openFolder(context), query.get("study") ?? ".");
