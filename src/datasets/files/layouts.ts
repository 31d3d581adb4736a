import { groupsLayout } from "./layouts/groups.js";
import type { Layout } from "./layouts/layout.js";
import { matlabLayout } from "./layouts/matlab.js";
import { pdebenchLayout } from "./layouts/pdebench.js";
import { theWellLayout } from "./layouts/the-well.js";

/** Every known convention, in the order in which they are tried. */
export const LAYOUTS: readonly Layout[] = [matlabLayout, theWellLayout, pdebenchLayout, groupsLayout];
