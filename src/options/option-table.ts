import { defaultOf, expectedWords, flagOf, type Option, type Options } from "./option.js";

/**
 * The rows that a page of the documentation has for declared options: field of a study, flag of `train`, values,
 * default and meaning.
 *
 * @param section of a study's YAML that the fields lie in, such as `partition.`
 */
export function optionTable(options: Options, section = "", { flags = true } = {}): string {
  const head = ["Field", ...(flags ? ["Flag of `train`"] : []), "Values", "Default", "Meaning"];
  const rows = Object.entries(options).map(([name, option]) => [
    `\`${section}${name}\``,
    ...(flags ? [`\`${flagOf(name)}\``] : []),
    valueWords(option),
    defaultWords(option),
    option.help,
  ]);
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function valueWords(option: Option): string {
  if (option.kind !== "choice") return expectedWords(option);
  const words = option.values.map((value) => `\`${value}\``);
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function defaultWords(option: Option): string {
  if (option.defaultWords !== undefined) return option.defaultWords;
  if (option.kind === "text" && option.default === undefined) return "none";
  return option.kind === "flag" ? String(option.default ?? false) : `\`${defaultOf(option) ?? "none"}\``;
}
