import type { Option, OptionValue } from "../../../../../options/option.js";
import { SIZE_LAWS } from "../../../../../partition/client-sizes.js";
import {
  PARTITIONER_NAMES,
  type PartitionerName,
  partitionerOf,
} from "../../../../../partition/partitioners.js";
import type { TermName } from "../../../glossary.js";
import { presentOf } from "../../../loadable.js";
import { OptionInput } from "../../../parts/option-input.js";
import { Setting } from "../../../parts/settings.js";
import { change, data, settings } from "../../../state.js";

/** Words of the options of partitioners. */
const TERMS: Readonly<Record<string, TermName>> = {
  ...{ shards: "shards", bins_per_client: "bins_per_client", base: "base", sizes: "sizes_law" },
  ...{ sigma: "sigma", size_alpha: "size_alpha", by: "by", ranges: "ranges", strictness: "strictness" },
  input_bins: "input_bins",
};

/** Why a partitioner cannot be chosen here; undefined for most. */
function problemOf(name: PartitionerName, attributes: readonly string[]): string | undefined {
  if (name === "file") return "takes a partition's file, which only the command reads";
  if (name === "by" && attributes.length === 0) return "the data have no attribute";
  return undefined;
}

/** The partitioner, with the options that it declares. */
export function PartitionerControl() {
  const { partitioner, split } = settings.value;
  const attributes = presentOf(data.value)?.attributeNames ?? [];
  const { describe, options } = partitionerOf(partitioner);
  const shown = Object.entries(options).filter(([name, { found }]) => name in TERMS && !found);
  const choose = (name: PartitionerName) =>
    change({ partitioner: name, split: name === "by" ? { by: attributes[0] } : {} });
  return (
    <>
      <Setting term="partitioner">
        <select
          aria-label="partitioner"
          value={partitioner}
          onChange={({ currentTarget }) => choose(currentTarget.value as PartitionerName)}
        >
          {PARTITIONER_NAMES.map((name) => {
            const problem = problemOf(name, attributes);
            return (
              <option key={name} value={name} disabled={problem !== undefined} title={problem}>
                {problem === undefined ? name : `${name}: ${problem}`}
              </option>
            );
          })}
        </select>
        <p class="faint small about">{describe}</p>
      </Setting>
      {shown.map(([name, option]) => (
        <Setting key={name} term={TERMS[name]}>
          <OptionInput
            name={name}
            option={option}
            value={split[name]}
            choices={name === "by" ? attributes : undefined}
            proposals={name === "sizes" ? SIZE_LAWS : undefined}
            onChange={(value) => change({ split: withValue(split, { name, value, option }) })}
          />
        </Setting>
      ))}
    </>
  );
}

/** Values with one that is changed; its default is left out. */
function withValue(
  values: Readonly<Record<string, OptionValue>>,
  { name, value, option }: { name: string; value: OptionValue | undefined; option: Option },
): Readonly<Record<string, OptionValue>> {
  const { [name]: _, ...others } = values;
  return value === undefined || value === option.default ? others : { ...others, [name]: value };
}
