/**
 * D_sol at K = 100 clients and B = 50 bins: all 4950 transport distances, beside loops over POT's `ot.emd2` and
 * SciPy's `linprog` (HiGHS), each on one core. Needs a build; Python is the one that PDE_DIRICHLET_PYTHON names, or
 * python3, with NumPy, SciPy and POT.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { centroidCosts } from "../dist/numerics/cost-matrix.js";
import { pairwiseTransport } from "../dist/numerics/transport.js";
import { dirichlet } from "../dist/random/dirichlet.js";
import { multinomial } from "../dist/random/multinomial.js";
import { normal } from "../dist/random/normal.js";
import { stream } from "../dist/random/stream.js";

const CLIENTS = 100;
const BINS = 50;
const DIMENSION = 8;
const SAMPLES_PER_BIN = 200;
const ALPHAS = [0.1, 1, 10];
const REPEATS = 10;

const random = stream(1, "centroids");
const cost = centroidCosts(
  Float64Array.from({ length: BINS * DIMENSION }, () => normal(random)),
  BINS,
);

/** Client-by-bin counts; a client that got nothing has one sample of bin 0. */
function allocate(alpha) {
  const counts = Array.from({ length: CLIENTS }, () => new Array(BINS).fill(0));
  for (let bin = 0; bin < BINS; bin++) {
    const components = counts.map((_, client) => stream(1, "proportions", bin, client));
    const drawn = multinomial(stream(1, "counts", bin), SAMPLES_PER_BIN, dirichlet(components, alpha));
    drawn.forEach((count, client) => {
      counts[client][bin] = count;
    });
  }
  for (const row of counts) if (row.every((count) => count === 0)) row[0] = 1;
  return counts;
}

function bestOf(repeats, work) {
  let best = Infinity;
  let result;
  for (let repeat = 0; repeat < repeats; repeat++) {
    const start = performance.now();
    result = work();
    best = Math.min(best, performance.now() - start);
  }
  return { seconds: best / 1000, result };
}

const problems = ALPHAS.map((alpha) => ({ alpha, counts: allocate(alpha) }));
const ours = problems.map(({ counts }) => bestOf(REPEATS, () => pairwiseTransport(counts, cost).distances));

const python = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const peer = spawnSync(python, [fileURLToPath(new URL("peers/transport.py", import.meta.url))], {
  input: JSON.stringify({ cost: Array.from(cost.values), problems }),
  encoding: "utf8",
  env: { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" },
  maxBuffer: 2 ** 28,
});
const peers = peer.status === 0 ? JSON.parse(peer.stdout) : undefined;
if (!peers) console.log(`No peers: ${python} cannot run bench/peers/transport.py.\n${peer.stderr ?? ""}`);

console.log(
  `All ${(CLIENTS * (CLIENTS - 1)) / 2} transport distances, K = ${CLIENTS}, B = ${BINS}, one core`,
);
problems.forEach(({ alpha }, index) => {
  const { seconds, result } = ours[index];
  const line = [`alpha ${alpha}: ${(1000 * seconds).toFixed(0)} ms`];
  for (const [name, found] of Object.entries(peers?.[index] ?? {})) {
    const difference = found.distances.reduce(
      (worst, [i, j, distance]) => Math.max(worst, Math.abs(distance - result[i * CLIENTS + j])),
      0,
    );
    const ratio = (found.seconds / seconds).toFixed(1);
    line.push(
      `${name} ${(1000 * found.seconds).toFixed(0)} ms, ${ratio}x (differs by ${difference.toExponential(1)})`,
    );
  }
  console.log(line.join("; "));
});
