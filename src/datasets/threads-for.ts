import { nodeThreads } from "../numerics/kernels/node-threads.js";
import { inlineThreads, type Threads } from "../numerics/kernels/threads.js";
import { grantedCores } from "../schedulers/granted.js";
import { type Fields, fieldSize } from "./fields.js";

/** Below this many numbers a second thread takes longer to start than it saves. */
const WORTH_A_THREAD = 4e6;

/** All cores for large fields, none besides our own for small ones; results are the same. */
export function threadsFor(fields: Fields): Threads {
  return fields.samples * fieldSize(fields) < WORTH_A_THREAD ? inlineThreads : nodeThreads(grantedCores());
}
