import { estimateText, estimateWords, list, pairedWords } from "../../analysis/phrases.js";
import { ascent, atAlpha, meanOf, ofCommonSeeds } from "../../analysis/seed-contrasts.js";
import { fixed } from "../../analysis/tables/table.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { ABLATIONS, inSetting, settingOf } from "../settings.js";
import { paperExcess } from "../values.js";

const VISCOSITY = ABLATIONS.find(({ name }) => name === "viscosity")!;

/** How the excess error of Burgers changes with the viscosity; undefined where fewer than two were run. */
export function viscosityWords(
  final: readonly SeedRecord[],
): { readonly short: string; readonly sentence: string } | undefined {
  const alpha = 0.01;
  const measured = VISCOSITY.levels.flatMap(({ label, change }) => {
    const setting = settingOf("burgers", change);
    const paper = paperExcess(setting, alpha)?.mean;
    const values = atAlpha(inSetting(final, setting), alpha, "excess_error");
    return values.size > 0 ? [{ label, paper, values }] : [];
  });
  const paired = ofCommonSeeds(measured.map(({ values }) => values));
  const found = measured.flatMap(({ label, paper }, i) => {
    const summary = meanOf(paired[i]);
    return summary ? [{ label, paper, summary, values: paired[i] }] : [];
  });
  if (found.length < 2) return undefined;
  const all = new Set(measured.flatMap(({ values }) => [...values.keys()]));
  const seeds = pairedWords({ seeds: paired[0].size, unpaired: all.size - paired[0].size });
  const rises = found.every(({ summary }, i) => i === 0 || summary.mean > found[i - 1].summary.mean);
  const values = found.map(
    ({ label, summary, paper }) =>
      `${estimateWords(summary)} at ${label}${paper === undefined ? "" : ` (paper ${fixed(paper)})`}`,
  );
  const change = ascent(found.map(({ values: seeds }) => seeds))?.change;
  const whole = change ? `, by ${estimateText(change, 3, "pp")} in all` : "";
  const [first, last] = [found[0], found.at(-1)!];
  const so = rises ? "rises" : "does not rise";
  return {
    short:
      `For Burgers at α = ${alpha} the mean excess error ${so} with every step of falling viscosity: from ${fixed(first.summary.mean)} pp at ` +
      `${first.label} to ${estimateWords(last.summary)} at ${last.label}${seeds}.`,
    sentence:
      `Burgers, α = ${alpha}: the mean excess error ${so} with every step of falling viscosity${whole}: ` +
      `${list(values)}${seeds}. The paper reports that it rises.`,
  };
}
