import type { Inspection } from "../../../../datasets/files/inspection.js";
import { flagOf } from "../../../../options/option.js";
import { READING_CHOICES, readingFrom } from "../../../file-reading.js";
import { presentOf } from "../../loadable.js";
import { change, settings } from "../../state.js";
import { FileArrays } from "./file-arrays.js";
import { OpenFile } from "./open-file.js";
import { ReadingField } from "./reading-fields.js";
import { inspected } from "./state.js";

/** Why a file is not read yet, and what a person can choose. */
export function FileQuestion({ message }: { readonly message: string }) {
  const found = presentOf(inspected.value);
  const isQuestion = found !== undefined && inspected.value.kind !== "failed";
  return (
    <div class="file-question">
      <h2>{isQuestion ? `How should ${settings.value.file} be read?` : "This file cannot be opened"}</h2>
      <p class={isQuestion ? "notice warning" : "notice failed"} role="alert">
        {message}
      </p>
      {isQuestion ? <Choices message={message} found={found} /> : <OpenFile />}
      {isQuestion && <FileArrays isOpen />}
    </div>
  );
}

function Choices({ message, found }: { readonly message: string; readonly found: Inspection }) {
  const { choices, canPartition, canTrain, advice, arrays } = found;
  const deciding = Object.keys(READING_CHOICES).filter(
    (name) => READING_CHOICES[name].kind !== "arrays" && mentions(message, flagOf(name)),
  );
  // Where one option decides, the arrays are found already.
  const others = deciding.length > 0 ? [] : choices;
  const isAloneOffered = others.some(({ options }) => !options.includes("--inputs"));
  const isEnough = canPartition && !canTrain && deciding.length === 0 && !isAloneOffered;
  const alone = isEnough ? responsesAlone(found) : undefined;
  const isOpen = deciding.length > 0 || others.length > 0 || alone !== undefined;
  if (!isOpen && arrays.length === 0) return null;
  return (
    <section aria-label="How the file could be read">
      {advice !== undefined && advice !== message && <p class="notice warning">{advice}</p>}
      {deciding.length > 0 && (
        <div class="deciding">
          {deciding.map((name) => (
            <ReadingField key={name} name={name} />
          ))}
        </div>
      )}
      {others.length + (alone === undefined ? 0 : 1) > 0 && <h3>Readings that fit the file</h3>}
      <ul class="choices">
        {others.map(({ words, options }) => (
          <Choice key={words} words={words} reading={readingFrom(options)} />
        ))}
        {alone !== undefined && (
          <Choice words="responses alone: enough to split, not to train" reading={{ responses: alone }} />
        )}
      </ul>
      <p class="faint small">
        You can also name inputs and responses at the left, with a slice as in NumPy, or pick them in the
        table.
      </p>
    </section>
  );
}

function Choice({
  words,
  reading,
}: {
  readonly words: string;
  readonly reading: ReturnType<typeof readingFrom>;
}) {
  return (
    <li>
      <button
        type="button"
        class="plain"
        onClick={() => change({ reading: { ...settings.value.reading, ...reading }, sample: 0 })}
      >
        {words}
      </button>
      <code class="faint">
        {Object.entries(reading)
          .map(([name, value]) => `${flagOf(name)} ${value}`)
          .join(" ")}
      </code>
    </li>
  );
}

/** Whether a message names a flag, and not a longer one. */
const mentions = (message: string, flag: string): boolean => new RegExp(`${flag}(?![\\w-])`).test(message);

/** The array that `partition` would take as responses, where there is one. */
function responsesAlone({ arrays }: Inspection): string | undefined {
  const large = arrays.filter(
    ({ name, shape }) => shape !== undefined && shape.length > 1 && !name.startsWith("("),
  );
  return large.length === 1 ? large[0].name : undefined;
}
