/** Plain data: what a study is made of. */
type Plain =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Plain[]
  | { readonly [name: string]: Plain };

/** Texts that YAML reads as themselves without quotes: a letter first, then letters, digits, and signs without a meaning. */
const BARE = /^[A-Za-z][\w./+-]*(?: [\w./+-]+)*$/;
/** Bare words that YAML 1.1 or 1.2 reads as something else. */
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Plain data as block YAML. The package `yaml` does far more, and would be 17 kB of the page's compressed scripts. */
export function yamlText(value: object): string {
  return `${lines(value as Plain).join("\n")}\n`;
}

function lines(value: Plain): readonly string[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item) => lines(item).map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`)));
  if (!isMap(value)) return [scalar(value)];
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.length === 0) return ["{}"];
  return fields.flatMap(([name, field]) => {
    const own = lines(field);
    return isNested(field)
      ? [`${scalar(name)}:`, ...own.map((line) => `  ${line}`)]
      : [`${scalar(name)}: ${own[0]}`];
  });
}

const isMap = (value: Plain): value is { readonly [name: string]: Plain } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value takes lines of its own below its name. */
const isNested = (value: Plain): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : isMap(value) && Object.values(value).some((one) => one !== undefined);

function scalar(value: Plain): string {
  if (Array.isArray(value)) return "[]";
  if (typeof value === "string")
    return BARE.test(value) && !NO_TEXT.test(value) ? value : JSON.stringify(value);
  if (typeof value === "number" && !Number.isFinite(value))
    return Number.isNaN(value) ? ".nan" : value > 0 ? ".inf" : "-.inf";
  return String(value ?? null);
}
