// Prints what docs and comments say of the cylinder flow: the DFG benchmark on finer and finer lattices beside its
// published values, the task's own channel over Reynolds numbers and resolutions, and the speed of the kernel.
// After `npm run build`: node scripts/verify-cylinder.mjs [--fine]. A few minutes, --fine half an hour.
import { channel } from "../dist/equations/channel-flow.js";
import { cylinderFlow } from "../dist/equations/cylinder.js";

const fine = process.argv.includes("--fine");

/** Steps on to `time` (in d / u) and returns the coefficients over the last part of it. */
function record(step, coefficients, stepsPerTime, time, part) {
  const last = Math.round(time * stepsPerTime);
  const history = [];
  for (let i = 0; i < last; i++) {
    step(i);
    if (i >= (1 - part) * last) history.push(coefficients());
  }
  return history;
}

function summary(history, stepsPerTime) {
  const drag = history.map(([value]) => value);
  const lift = history.map(([, value]) => value);
  const middle = (Math.max(...lift) + Math.min(...lift)) / 2;
  const upward = lift.flatMap((value, i) =>
    i > 0 && lift[i - 1] < middle && value >= middle ? [i - (value - middle) / (value - lift[i - 1])] : [],
  );
  const spread = Math.max(...lift) - Math.min(...lift);
  const periods = upward.length - 1;
  const shedding = spread > 0.02 && periods > 0;
  return {
    dragMin: Math.min(...drag),
    dragMax: Math.max(...drag),
    liftSpread: spread,
    lift: lift[lift.length - 1],
    strouhal: shedding ? (stepsPerTime * periods) / (upward[periods] - upward[0]) : undefined,
  };
}

function benchmark(cells, reynolds, speed, time) {
  const height = Math.round(4.1 * cells);
  const flow = channel({
    width: 22 * cells,
    height,
    circle: { x: 2 * cells, y: 2 * cells, radius: cells / 2 },
    inlet: (y) => (6 * y * (height - y)) / (height * height),
  });
  flow.lattice.start(() => [0, 0, 0]);
  const step = (i) => {
    const ramp = Math.min(1, (i * speed) / (4 * cells));
    flow.lattice.step((speed * cells) / reynolds, speed * ramp * ramp * (3 - 2 * ramp));
  };
  const coefficients = () => flow.force().map((force) => (2 * force) / (speed * speed * cells));
  return summary(record(step, coefficients, cells / speed, time, 0.25), cells / speed);
}

function own(resolution, reynolds, latticeSpeed, time) {
  const flow = cylinderFlow({ resolution, latticeSpeed, reynoldsMax: reynolds });
  flow.start({ reynolds, eddies: [{ x: 4.2, y: 3.3, speed: 0.2 }] });
  const stepsPerTime = resolution / latticeSpeed;
  return summary(record(flow.step, flow.coefficients, stepsPerTime, time, 0.25), stepsPerTime);
}

const cell = (value, digits = 4) => (value === undefined ? "-" : value.toFixed(digits)).padStart(10);
const line = (...cells) => console.log(cells.join(""));

console.log("DFG 2D-1, Re = 20 (drag 5.5795, lift 0.010619)");
line(...["cells", "speed", "drag", "lift"].map((name) => name.padStart(10)));
for (const cells of fine ? [10, 20, 40] : [10, 20]) {
  const speed = 0.6 / cells;
  const { dragMax, lift } = benchmark(cells, 20, speed, 20);
  line(cell(cells, 0), cell(speed), cell(dragMax), cell(lift, 6));
}

console.log("\nDFG 2D-2, Re = 100 (drag 3.1643 to 3.2274, lift from peak to peak 2.0079, Strouhal 0.3018)");
const heads = ["cells", "speed", "drag min", "drag max", "lift p-p", "Strouhal"];
line(...heads.map((name) => name.padStart(10)));
const lattices = [[20, 0.1], [20, 0.05], [30, 0.05]]; // biome-ignore format: a table
for (const [cells, speed] of fine ? [...lattices, [40, 0.05], [60, 0.04]] : lattices) {
  const { dragMin, dragMax, liftSpread, strouhal } = benchmark(cells, 100, speed, 60);
  line(cell(cells, 0), cell(speed), cell(dragMin), cell(dragMax), cell(liftSpread), cell(strouhal));
}

console.log("\nThe task's channel");
line(...["Re", ...heads].map((name) => name.padStart(10)));
for (const reynolds of [40, 55, 70, 100, 200, 300]) {
  for (const [cells, speed] of fine
    ? [
        [20, 0.08],
        [28, 0.05],
        [36, 0.05],
      ]
    : [[20, 0.08]]) {
    // biome-ignore format: a table
    const { dragMin, dragMax, liftSpread, strouhal } = own(cells, reynolds, speed, 100);
    const numbers = [dragMin, dragMax, liftSpread, strouhal].map((value) => cell(value));
    line(cell(reynolds, 0), cell(cells, 0), cell(speed), ...numbers);
  }
}

const flow = cylinderFlow();
flow.start({ reynolds: 200, eddies: [] });
const before = process.cpuUsage().user;
flow.advanceTo(10);
const seconds = (process.cpuUsage().user - before) / 1e6;
console.log(`\n${((2500 * 220 * 120) / seconds / 1e6).toFixed(0)} million node updates a second of one core`);
