import { type Setting, settingOf } from "../../src/paper/settings.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";
import { EARLIER_OPTIMIZERS, EARLIER_TASKS } from "../../src/records/earlier-defaults.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { earlierOverrides, type RecordedSettings, type Settings } from "../../src/records/settings.js";

export interface SyntheticOptions {
  readonly tasks?: readonly string[];
  readonly alphas?: readonly number[];
  readonly seeds?: readonly number[];
  readonly rounds?: readonly number[];
  readonly change?: Partial<Setting>;
  /** Further settings that are not the defaults. */
  readonly settings?: Settings;
  /** Final excess error at alpha = 0.01, in percentage points. */
  readonly excess?: number;
}

const CHECKPOINTS = [0, 1, 5, 10, 20, 50, 100, 200, 500, 1000];
const FINAL_ERROR: Readonly<Record<string, number>> = {
  antiderivative: 0.03,
  burgers: 0.14,
  "diffusion-reaction": 0.036,
};
const FINAL_EXCESS: Readonly<Record<string, number>> = {
  antiderivative: 0.1,
  burgers: 1.1,
  "diffusion-reaction": 0.2,
};

/**
 * Records that look like a study's, drawn and not trained, for tests alone: errors that fall with the rounds, an early
 * excess that fades, distances that grow as alpha falls.
 */
export function syntheticRecords(options: SyntheticOptions = {}): SeedRecord[] {
  const {
    tasks = ["antiderivative", "burgers", "diffusion-reaction"],
    alphas = [100, 10, 1, 0.1, 0.01],
    seeds = [0, 1, 42, 999, 2026],
    rounds = CHECKPOINTS,
    change = {},
  } = options;
  return tasks.flatMap((task) =>
    seeds.flatMap((seed) =>
      alphas.flatMap((alpha) => {
        const excess = options.excess ?? FINAL_EXCESS[task] ?? 0.3;
        return oneRun(settingOf(task, change), alpha, seed, rounds, excess, options.settings);
      }),
    ),
  );
}

/** The same records with other settings. */
export function withSettings(records: readonly SeedRecord[], settings: Settings): SeedRecord[] {
  return records.map((record) => ({
    ...record,
    settings: { ...record.settings, ...settings },
    overrides: [...record.overrides, ...Object.keys(settings)],
  }));
}

function recordedSettings(
  { task, viscosity, clients, optimizer }: Setting,
  more: Settings,
): RecordedSettings {
  const name = task.replace(/^imported-/, "");
  const told = { ...(viscosity !== null && { viscosity }), clients, optimizer };
  const settings = {
    ...EARLIER_TASKS[name]?.settings,
    ...(name === task && EARLIER_TASKS[name]?.parameters),
    ...EARLIER_OPTIMIZERS[optimizer],
    ...told,
    ...more,
  };
  return { settings, overrides: [...earlierOverrides(name, told), ...Object.keys(more)] };
}

/** The main setting with all ablations of the paper. */
export function syntheticStudy(options: SyntheticOptions = {}): SeedRecord[] {
  return [
    ...syntheticRecords(options),
    ...syntheticRecords({ ...options, change: { clients: 20 } }),
    ...syntheticRecords({ ...options, change: { optimizer: "sgd" }, excess: 0.02 }),
    ...syntheticRecords({ ...options, tasks: ["burgers"], change: { viscosity: 0.05 }, excess: 3 }),
    ...syntheticRecords({ ...options, tasks: ["burgers"], change: { viscosity: 0.01 }, excess: 4.2 }),
  ];
}

function oneRun(
  setting: Setting,
  alpha: number,
  seed: number,
  rounds: readonly number[],
  excess: number,
  more: Settings = {},
): SeedRecord[] {
  const { task, viscosity, clients, optimizer } = setting;
  const words = Object.entries(more).map(([option, value]) => `${option}=${value}`);
  const name = [task, viscosity ?? "none", clients, optimizer, ...words] as const;
  const random = stream(seed, "synthetic", ...name, alpha);
  const shared = stream(seed, "synthetic", ...name);
  const noise = (size: number) => 1 + size * normal(random);
  const severity = (2 - Math.log10(alpha)) / 4;
  const is100 = alpha === 100;
  const d_sol = (0.16 + 0.85 * severity ** 1.6) * noise(0.08);
  const partition = {
    d_sol,
    input_w1: 0.75 + 0.3 * severity * noise(0.1),
    cv_n: (0.08 + 0.78 * severity ** 1.4) * noise(0.15),
    n_min: Math.round(100 - 84 * severity),
    n_max: Math.round(100 + 150 * severity),
    h_q: 0.01 + 0.3 * severity,
    h_w: d_sol ** 2,
    d_sol_floor: 0.1,
    tv: 0.3,
    js: 0.4,
    eps_part: 0.22 * (1 - 0.85 * severity ** 3) * noise(0.08),
    eps_quant: 0.314,
    h_g_norm: (0.02 + 0.5 * severity ** 1.8) * noise(0.1),
  };
  const start = 1 + 0.02 * normal(shared);
  const end = (FINAL_ERROR[task] ?? 0.05) * (optimizer === "sgd" ? 2.6 : 1) * (1 + 0.04 * normal(shared));
  const early = 6 * severity ** 2 * noise(0.6);
  const late = excess * severity ** 1.5 + Math.max(0.25 * excess, 0.2) * severity * normal(random);
  return rounds.map((round) => {
    const decay = Math.exp(-((round / 60) ** 0.55));
    const reference = round === 0 ? start : end + (0.9 * start - end) * decay;
    const fade = round === 0 || is100 ? 0 : (early * round * Math.exp(-round / 12)) / 8;
    const excess_error = is100 || round === 0 ? 0 : fade + late * (1 - decay);
    return {
      study: "synthetic",
      task,
      ...recordedSettings(setting, more),
      alpha,
      reference_alpha: 100,
      seed,
      round,
      ...partition,
      d_theta: is100 || round === 0 ? 0 : 0.6 * d_sol ** 0.5 * (1 - decay),
      test_error: reference + excess_error / 100,
      reference_error: reference,
      excess_error,
      d_loc: round === 0 ? 0 : 0.01 * severity * (0.1 + decay),
      client_error_mean: reference + excess_error / 100,
      client_error_worst: (1 + severity) * reference,
      client_error_spread: 0.3 * severity * reference,
      ...{ client_loss_mean: NaN, client_loss_worst: NaN, client_loss_spread: NaN },
      ...{ client_update_mean: NaN, client_update_worst: NaN, client_update_spread: NaN },
      ...{ client_cosine_mean: NaN, client_cosine_worst: NaN, client_cosine_spread: NaN },
      communication: 464000,
      run_id: [...name, alpha, seed].join("-"),
    };
  });
}
