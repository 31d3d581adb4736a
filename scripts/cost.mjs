/**
 * What studies took and what the paper's would take elsewhere, in words computed from three kinds of files:
 * cost.json beside the records, copied from the studies' logs; docs/performance.md, which `npm run bench` writes;
 * and, where there is one, docs/results/records/bench-cuda.json with milliseconds of a round of ten clients by task:
 * { "cases": { "burgers": { "ours_ms", "replicas_ms", "jax_ms", "pytorch_ms" }, ... } }, as bench/cuda.mjs writes it.
 */
import { existsSync, readFileSync } from "node:fs";
import { list } from "../dist/analysis/phrases.js";

const DOCS = new URL("../docs/", import.meta.url);
const LOCAL_STEPS = 5;
/** Clients of the benchmarks. */
const CLIENTS = 10;

/** Runs of every task at their last round, weighed by clients: 20 clients are the work of two runs with 10. */
function work(final) {
  const tasks = new Map();
  for (const { task, settings } of final)
    tasks.set(task, (tasks.get(task) ?? 0) + settings.clients / CLIENTS);
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

/** A study's seconds; where others are measured otherwise, those that no log holds say how. */
function studyWords(study, sources) {
  const { seconds, source } = study;
  return `${partOf(study)} ${seconds} s${source === "log" || sources.length === 1 ? "" : ` ${source}`}`;
}

/** What a study is called, or the part of it that was carried out by itself. */
const partOf = ({ command, part = command.split(" ")[2] }) => part;

const costOf = (folder) =>
  JSON.parse(readFileSync(new URL(`results/records/${folder}/cost.json`, DOCS), "utf8"));

const minutes = (seconds) => `${(seconds / 60).toFixed(1)} minutes`;
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

/** What the runs of a folder of records took; `final` are those of the last round, `which` says whose they are. */
export function measuredCost(folder, final, which) {
  const { device, studies } = costOf(folder);
  const total = (key) => sum(studies.map((study) => study[key] ?? NaN));
  if (total("runs") !== final.length)
    throw new Error(`${folder}/cost.json speaks of ${total("runs")} runs, the records hold ${final.length}`);
  const cpu = Number.isNaN(total("cpu_seconds")) ? "" : ` and ${minutes(total("cpu_seconds"))} of CPU time`;
  const sources = [...new Set(studies.map(({ source }) => source))];
  const included =
    sources.join() === "log"
      ? "data generation and reports included"
      : `data generation included, measured ${sources.join(" or ")}`;
  const words = studies.map((study) => studyWords(study, sources));
  const each = words.length > 1 ? ` (${words.join(", ")})` : "";
  return (
    `The ${final.length} runs of the ${which}, of ${final[0].round} rounds, took ${minutes(total("seconds"))} on ` +
    `${device}${cpu}, ${included}${each}.`
  );
}

/** Benchmarks that are not named like the task whose rounds they are like. */
const CASES = {
  darcy: "fno2d-128",
  "dam-break": "fno2d-128",
  cylinder: "fno2d",
  "flat-velocity": "inversion-net-1000",
};

/** Hours of training on the GPU of the benchmark, one run after another, as far as rounds were measured. */
function hoursOnGpu(final, name) {
  const gpu = new URL("results/records/bench-cuda.json", DOCS);
  if (!existsSync(gpu)) return undefined;
  const { cases } = JSON.parse(readFileSync(gpu, "utf8"));
  return hours(work(final), final[0].round, (task) => cases[CASES[task] ?? task]?.[name]);
}

/** What training alone would take with other tools on the same GPU, as far as their rounds were measured, and by which. */
export function peersCost(final, byWhich) {
  const [torch, jax] = ["pytorch_ms", "jax_ms"].map((name) => hoursOnGpu(final, name));
  const parts = [
    ...(torch === undefined ? [] : [`${spoken(torch)} with PyTorch's usual loop`]),
    ...(jax === undefined ? [] : [`${spoken(jax)} with JAX and its round compiled`]),
  ];
  if (parts.length === 0) return [];
  return [
    `On the same GPU training alone, one run after another, would take ${parts.join(" and ")}${byWhich ?? countedAs(final)}.`,
  ];
}

/** How rounds that were not measured are counted. */
function countedAs(final) {
  const words = [
    ...(final.some(({ settings }) => settings.clients !== CLIENTS)
      ? ["a round of 20 clients as two of 10"]
      : []),
    ...(final.some(({ settings }) => settings.optimizer !== "adam") ? ["every step as Adam's"] : []),
  ];
  return words.length === 0 ? "" : `, if one counts ${list(words)}`;
}

/** What all runs took; `finals` has those of the last round by the folder of their records. */
export function wholeCost(finals) {
  const studies = [...finals.keys()].flatMap((folder) => costOf(folder).studies);
  const counted = studies.filter(({ cpu_seconds }) => cpu_seconds !== undefined);
  const missing = studies.filter(({ cpu_seconds }) => cpu_seconds === undefined).map(partOf);
  const cpu =
    counted.length === 0
      ? ""
      : ` and ${minutes(sum(counted.map(({ cpu_seconds }) => cpu_seconds)))} of CPU time` +
        (missing.length === 0 ? "" : ` (without that of ${list(missing)}, which was not counted)`);
  const { device } = costOf([...finals.keys()][0]);
  const torch = [...finals.values()].map((final) => hoursOnGpu(final, "pytorch_ms"));
  return (
    `All ${sum([...finals.values()].map((final) => final.length))} runs of the paper's studies took ` +
    `${minutes(sum(studies.map(({ seconds }) => seconds)))} on ${device}${cpu}, as ${studies.length} commands one after another.` +
    (torch.includes(undefined)
      ? ""
      : ` With PyTorch's usual loop training alone would take ${spoken(sum(torch))} on the same GPU.`)
  );
}

/** The paragraph. `final` are seed-level records of the paper's studies at the last round. */
export function costParagraph(final) {
  const rounds = final[0].round;
  const tasks = work(final);
  const sentences = [measuredCost("paper", final, "controlled tasks"), ...peersCost(final)];
  const cpu = stepsOnCpu();
  const onCpu = (name) =>
    hours(tasks, rounds, (task) => (cpu.has(task) ? CLIENTS * LOCAL_STEPS * cpu.get(task)[name] : undefined));
  const [ours, torch] = [onCpu("ours"), onCpu("torch")];
  if (ours !== undefined && torch !== undefined)
    sentences.push(
      `On two CPU cores training alone would take ${spoken(ours)} here and ${spoken(torch)} with PyTorch, by the steps in ` +
        "[performance.md](PERFORMANCE), counted in the same way.",
    );
  return sentences.join(" ");
}
