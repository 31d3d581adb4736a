import type { Contributors, MergeRule } from "../../diagnostics/small-counts.js";
import { DataError, FormatError, OptionError } from "../../errors.js";
import { type ByteSource, readText } from "../../files/byte-source.js";
import { formatCsv } from "../../files/csv.js";
import type { FitElsewhere } from "../../partition/bins-elsewhere.js";
import { type CountTable, readCounts, type StatisticsOptions } from "../statistics.js";

/** The name and version of the layout of a site's counts: a table whose comments say how they were made. */
export const COUNTS_SCHEMA = "pde-dirichlet/counts/1";

/** Decimals of a shared measure: more would describe single samples. */
const DECIMALS = 3;

/** How well bins describe the samples of a site, as far as it shares this. */
export type SharedFit = Pick<FitElsewhere, "meanDistance" | "explainedVariance" | "outside">;

/** What a site shares beside its counts. */
export interface SiteFacts {
  /** SHA-256 of the bins that the samples were counted in. */
  readonly binsSha256: string;
  readonly rule: MergeRule;
  readonly fit?: SharedFit;
}

/** A table of counts, and what its file says of them. */
export type SiteTable = CountTable & { readonly facts?: SiteFacts };

/** Refuses names that a table cannot hold as one cell of one line. */
export function checkSiteName(name: string): void {
  if (
    name.trim() === "" ||
    name !== name.trim() ||
    name.startsWith("#") ||
    /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)
  )
    throw new OptionError(
      `a site has a name of one line without blanks around it or # before it, not ${JSON.stringify(name)}`,
    );
}

/** The file that a site shares: counts, its name, the bins that it used and the rule for small counts. */
export function siteCountsText(site: string, counts: readonly number[], facts: SiteFacts): string {
  const { binsSha256, rule, fit } = facts;
  const comments = [
    COUNTS_SCHEMA,
    `bins: ${binsSha256}`,
    `minimum: ${rule.minimum} ${rule.contributors}`,
    ...(fit
      ? [
          `mean_distance: ${fit.meanDistance.toFixed(DECIMALS)}`,
          `explained_variance: ${fit.explainedVariance.toFixed(DECIMALS)}`,
          `outside: ${Math.round(fit.outside / rule.minimum) * rule.minimum}`,
        ]
      : []),
  ];
  const table = formatCsv([
    ["client", ...counts.map((_, bin) => `bin ${bin}`)],
    [site, ...counts],
  ]);
  return `${comments.map((line) => `# ${line}\n`).join("")}${table}`;
}

/** Reads counts: those of a site with what it says of them, or a table of any other tool. */
export async function readSiteCounts(source: ByteSource, options: StatisticsOptions): Promise<SiteTable> {
  const facts = await factsOf(source);
  const table = await readCounts(source, options);
  if (facts) checkRule(table, facts.rule, source.name);
  return { ...table, ...(facts && { facts }) };
}

async function factsOf(source: ByteSource): Promise<SiteFacts | undefined> {
  const opening = new TextDecoder().decode(await source.read(0, Math.min(64, source.size)));
  const [, schema] = /^\ufeff?# *(pde-dirichlet\/counts\/\d+)/.exec(opening) ?? [];
  if (schema === undefined) return undefined;
  if (schema !== COUNTS_SCHEMA)
    throw new FormatError(`${source.name} has the layout ${schema}, but this version reads ${COUNTS_SCHEMA}`);
  const said = new Map<string, string>();
  for (const line of (await readText(source)).split(/\r\n|\n|\r/)) {
    // A spreadsheet that saves the file ends comments with commas.
    const [, name, value] = /^# *([a-z_]+): *(.*?)[\s,;]*$/.exec(line) ?? [];
    if (name !== undefined) said.set(name, value);
  }
  const refused = (name: string) =>
    new FormatError(`${source.name}: the comment "${name}" is missing or damaged: ask the site for its file`);
  const numberOf = (name: string): number => {
    const value = Number(said.get(name) || Number.NaN);
    if (!Number.isFinite(value)) throw refused(name);
    return value;
  };
  const binsSha256 = said.get("bins") ?? "";
  if (!/^[0-9a-f]{64}$/.test(binsSha256)) throw refused("bins");
  const [, minimum, contributors] =
    /^([1-9]\d{0,14}) (samples|groups)$/.exec(said.get("minimum") ?? "") ?? [];
  if (minimum === undefined) throw refused("minimum");
  return {
    binsSha256,
    rule: { minimum: Number(minimum), contributors: contributors as Contributors },
    ...(said.has("mean_distance") && {
      fit: {
        meanDistance: numberOf("mean_distance"),
        explainedVariance: numberOf("explained_variance"),
        outside: numberOf("outside"),
      },
    }),
  };
}

/** A count that the rule excludes was changed by hand: what is said of its accuracy would be wrong. */
function checkRule({ counts, clientNames }: CountTable, { minimum }: MergeRule, name: string): void {
  counts.forEach((row, client) => {
    const bin = row.findIndex((count) => count > 0 && count < minimum);
    if (bin >= 0)
      throw new DataError(
        `${name} states a minimum of ${minimum}, but ${clientNames[client]} has ${row[bin]} samples of bin ${bin}`,
      );
  });
}
