import type { ArrayDescription, Axis } from "../../../../datasets/dataset.js";
import { arrayInWords } from "../../../../datasets/files/data-in-words.js";
import { isOneNumber } from "../../../drawn-sample.js";
import type { DataFacts } from "../../../lab/lab.js";
import { shortNumber } from "../../parts/field/readout.js";
import { Mathematics } from "../../parts/mathematics.js";
import { Term } from "../../parts/term.js";
import { bins } from "../../state.js";

/** What is known of the data: shapes, axes, units, origin. */
export function Facts({ facts }: { readonly facts: DataFacts }) {
  const { description, isAlone, origin, reading } = facts;
  const { inputs, responses } = description;
  return (
    <div class="data-facts">
      <dl>
        {!isAlone && (
          <div>
            <dt>
              <Term name="input" />
            </dt>
            <dd>{arrayWords(inputs)}</dd>
          </div>
        )}
        <div>
          <dt>
            <Term name="response" />
          </dt>
          <dd>{arrayWords(responses)}</dd>
        </div>
        <div>
          <dt>
            <Term name="axes" />
          </dt>
          <dd>
            <Mathematics text={axesWords(facts)} />
          </dd>
        </div>
        {!description.origin.startsWith("from ") && (
          <div>
            <dt>
              <Term name="origin" />
            </dt>
            <dd>{description.origin}</dd>
          </div>
        )}
        {bins.value.kind === "failed" && (
          <div class="wide lacking">
            <dd>These samples cannot be binned and split: {bins.value.message}</dd>
          </div>
        )}
        {origin.kind === "file" && (
          <div class="wide">
            <dt>
              <Term name="reading" />
            </dt>
            <dd>
              {reading.map((line) => (
                <p key={line}>{line}</p>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </div>
  );
}

/** `velocity (m/s), 2 channels on 64 × 64 (y, x)`. */
function arrayWords(array: ArrayDescription): string {
  const unit = array.unit === undefined ? "" : ` (${array.unit})`;
  const size = (isOneNumber(array) ? "one number" : arrayInWords(array))
    .replace(/^1 channel on /, "")
    .replaceAll(" x ", " × ");
  return /^(input|response)$/.test(array.label) ? `${size}${unit}` : `${array.label}${unit}, ${size}`;
}

/** `$x$ 0 to 1 m`, for every axis of inputs and responses once. */
function axesWords({ description: { inputs, responses }, coordinates, isAlone }: DataFacts): string {
  const axes = new Map<string, Axis>();
  for (const axis of [...(isAlone ? [] : inputs.axes), ...responses.axes])
    if (axis.length > 1) axes.set(`${axis.name} ${axis.coordinates ?? axis.kind}`, axis);
  return [...axes.values()]
    .map((axis) => {
      const name = /^\p{L}$/u.test(axis.name) ? `$${axis.name}$` : axis.name;
      if (axis.kind === "channel" && axis.labels) return `${name} ${axis.labels.join(", ")}`;
      const points = axis.coordinates === undefined ? undefined : coordinates[axis.coordinates];
      if (points?.dimensions !== 1) return `${name} 0 to ${axis.length - 1} (numbered)`;
      const [first, last] = [points.values[0], points.values[points.values.length - 1]];
      return `${name} ${shortNumber(first)} to ${shortNumber(last)}${axis.unit === undefined ? "" : ` ${axis.unit}`}`;
    })
    .join("; ");
}
