/**
 * What the paper's studies took and what they would take elsewhere, in a paragraph computed from three files:
 * docs/results/records/paper/cost.json, copied from the studies' logs; docs/performance.md, which `npm run bench` writes;
 * and, where there is one, docs/results/records/bench-cuda.json with milliseconds of a round of ten clients by task:
 * { "cases": { "burgers": { "ours_ms", "replicas_ms", "jax_ms", "pytorch_ms" }, ... } }, as bench/cuda.mjs writes it.
 */
import { existsSync, readFileSync } from "node:fs";

const DOCS = new URL("../docs/", import.meta.url);
const LOCAL_STEPS = 5;
/** Clients of the benchmarks. */
const CLIENTS = 10;

/** Runs of every task at their last round, weighed by clients: 20 clients are the work of two runs with 10. */
function work(final) {
  const tasks = new Map();
  for (const { task, clients } of final) tasks.set(task, (tasks.get(task) ?? 0) + clients / CLIENTS);
  return tasks;
}

/** Milliseconds of a client step on the CPU by task, as docs/performance.md has them. */
function stepsOnCpu() {
  const text = readFileSync(new URL("performance.md", DOCS), "utf8");
  const line = /^([a-z-]+): one run [\d.]+, two side by side ([\d.]+), JAX ([\d.]+) .*PyTorch ([\d.]+) /gm;
  return new Map(
    [...text.matchAll(line)].map(([, task, ours, jax, torch]) => [
      task,
      { ours: Number(ours), jax: Number(jax), torch: Number(torch) },
    ]),
  );
}

/** Hours of all runs, given the milliseconds of a round of ten clients by task. */
function hours(tasks, rounds, msPerRound) {
  let total = 0;
  for (const [task, runs] of tasks) {
    const ms = msPerRound(task);
    if (ms === undefined) return undefined;
    total += (runs * rounds * ms) / 3.6e6;
  }
  return total;
}

const spoken = (value) => (value < 2 ? `${Math.round(60 * value)} minutes` : `${value.toPrecision(2)} hours`);

/** A study's seconds; those that no log holds say so. */
function studyWords({ command, seconds, source }) {
  return `${command.split(" ")[2]} ${seconds} s${source === "log" ? "" : ` [${source}]`}`;
}

/** The paragraph. `final` are seed-level records of the last round. */
export function costParagraph(final) {
  const rounds = final[0].round;
  const tasks = work(final);
  const { device, studies } = JSON.parse(
    readFileSync(new URL("results/records/paper/cost.json", DOCS), "utf8"),
  );
  const minutes = studies.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  const runs = studies.reduce((sum, study) => sum + study.runs, 0);
  if (runs !== final.length)
    throw new Error(`cost.json speaks of ${runs} runs, the records hold ${final.length}`);
  const sentences = [
    `The ${runs} runs of ${rounds} rounds behind these pages took ${minutes.toFixed(1)} minutes on ${device}, data ` +
      `generation and reports included (${studies.map(studyWords).join(", ")}).`,
  ];
  const gpu = new URL("results/records/bench-cuda.json", DOCS);
  if (existsSync(gpu)) {
    const bench = JSON.parse(readFileSync(gpu, "utf8"));
    const [torch, jax] = ["pytorch_ms", "jax_ms"].map((name) =>
      hours(tasks, rounds, (task) => bench.cases[task]?.[name]),
    );
    const parts = [
      ...(torch === undefined ? [] : [`${spoken(torch)} with PyTorch's usual loop`]),
      ...(jax === undefined ? [] : [`${spoken(jax)} with JAX and its round compiled`]),
    ];
    if (parts.length > 0)
      sentences.push(
        `On the same GPU training alone, one run after another, would take ${parts.join(" and ")}.`,
      );
  }
  const cpu = stepsOnCpu();
  const onCpu = (name) =>
    hours(tasks, rounds, (task) => (cpu.has(task) ? CLIENTS * LOCAL_STEPS * cpu.get(task)[name] : undefined));
  const [ours, torch] = [onCpu("ours"), onCpu("torch")];
  if (ours !== undefined && torch !== undefined)
    sentences.push(
      `On two CPU cores training alone would take ${spoken(ours)} here and ${spoken(torch)} with PyTorch, by the steps in ` +
        "[performance.md](PERFORMANCE), every step counted as Adam's.",
    );
  return sentences.join(" ");
}
