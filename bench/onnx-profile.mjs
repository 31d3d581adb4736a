/** Where the time of ONNX Runtime goes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InferenceSession } from "../dist/engine/onnx/onnx-runtime.js";

/**
 * Every operation that ONNX Runtime timed while `work` ran: name, microseconds, shapes of operands and result. `work`
 * is given a function to call before it closes what it opened.
 */
export async function timedOperations(work) {
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-profile-"));
  const create = InferenceSession.create.bind(InferenceSession);
  const sessions = new Set();
  InferenceSession.create = async (model, options) => {
    const prefix = join(folder, `${sessions.size}`);
    const session = await create(model, { ...options, enableProfiling: true, profileFilePrefix: prefix });
    const release = session.release.bind(session);
    session.release = () => {
      sessions.delete(session);
      return release();
    };
    sessions.add(session);
    return session;
  };
  const shapes = (all) => all.map((one) => Object.values(one)[0]);
  try {
    await work(() => {
      for (const session of sessions) session.endProfiling();
    });
    return readdirSync(folder)
      .flatMap((file) => JSON.parse(readFileSync(join(folder, file), "utf8")))
      .filter(({ cat, name }) => cat === "Node" && name.endsWith("kernel_time"))
      .map(({ dur, args }) => ({
        name: args.op_name,
        microseconds: dur,
        operands: shapes(args.input_type_shape),
        results: shapes(args.output_type_shape),
      }));
  } finally {
    InferenceSession.create = create;
    rmSync(folder, { recursive: true, force: true });
  }
}
