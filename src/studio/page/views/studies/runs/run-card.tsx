import { useEffect, useMemo, useState } from "preact/hooks";
import { settingWords } from "../../../../../analysis/setting-words.js";
import type { SentJournal } from "../../../../study/study-events.js";
import { EMPTY, type Loadable, messageOf, presentOf } from "../../../loadable.js";
import { Mathematics } from "../../../parts/mathematics.js";
import { Status } from "../../../parts/status.js";
import { Term } from "../../../parts/term.js";
import { ask } from "../../../server-api.js";
import { change, hasServer, settings } from "../../../state.js";
import { CurvePlot } from "../plots/curve-plot.js";
import type { LevelCurve } from "../results/level-curves.js";
import { records, standings } from "../state.js";
import { STATE_WORDS } from "./grid-runs.js";

/** The journal of the run that is open, in the folder or, without one, as the table has it. */
export function RunCard() {
  const { run, study } = settings.value;
  const [journal, setJournal] = useState<Loadable<SentJournal>>(EMPTY);
  const round = standings.value.get(run)?.round;
  const state = standings.value.get(run)?.state;
  useEffect(() => {
    if (run === "") return;
    let isWanted = true;
    const before = presentOf(journal);
    setJournal({ kind: "loading", words: "Reading the journal", ...(before?.id === run && { before }) });
    const read = hasServer && study !== "" ? ask<SentJournal>("study/journal", { study, run }) : ofTable(run);
    read
      .catch(() => ofTable(run))
      .then(
        (value) => isWanted && setJournal({ kind: "ready", value }),
        (error) => isWanted && setJournal({ kind: "failed", message: messageOf(error) }),
      );
    return () => {
      isWanted = false;
    };
  }, [run, study, round, state, records.value.length > 0]);
  if (run === "") return null;
  return (
    <section class="study-run-card" aria-label="Run">
      <div class="study-run-head">
        <h3>{run}</h3>
        <button type="button" class="plain" onClick={() => change({ run: "" })}>
          Close
        </button>
      </div>
      <Status of={journal} empty="">
        {(value) => <JournalView journal={value} />}
      </Status>
    </section>
  );
}

function JournalView({ journal }: { readonly journal: SentJournal }) {
  const { lines, facts, state, failure, settings: own, overrides, broken } = journal;
  const curves = useMemo(() => curvesOf(journal), [journal]);
  return (
    <div class="study-journal">
      <dl class="small">
        <dt>State</dt>
        <dd>{failure ?? STATE_WORDS[state]}</dd>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {overrides.length > 0 && (
          <div>
            <dt>Not the defaults</dt>
            <dd>
              <Mathematics
                text={overrides
                  .map((name) => settingWords(name, own))
                  .filter(Boolean)
                  .join(", ")}
              />
            </dd>
          </div>
        )}
        {broken.length > 0 && (
          <div>
            <dt>Left out</dt>
            <dd>
              {broken.length === 1 ? `line ${broken[0]}` : `${broken.length} lines`} of journal.jsonl, no
              measurement
            </dd>
          </div>
        )}
      </dl>
      {lines.length === 0 ? (
        <p class="faint">It was not measured yet.</p>
      ) : (
        curves.map(({ term, unit, drawn }) => (
          <div key={term}>
            <p class="small">
              <Term name={term} /> <span class="faint">{unit}</span>
            </p>
            <CurvePlot
              curves={drawn}
              isLogarithmic
              unit={unit}
              height={110}
              label={`${term.replace("study_", "").replace("_", " ")} over rounds`}
            />
          </div>
        ))
      )}
    </div>
  );
}

const INK = { color: "var(--accent)", symbol: "circle" } as const;

/** What a journal has over its rounds: the test error with those of the single clients, and the training loss. */
function curvesOf({ lines }: SentJournal) {
  const curve = (
    pick: (line: SentJournal["lines"][number]) => number,
    seeds: LevelCurve["seeds"] = [],
  ): LevelCurve => ({
    points: lines
      .map((line) => ({ round: line.round, mean: pick(line), low: null, high: null, seeds: 1 }))
      .filter(({ mean }) => Number.isFinite(mean)),
    seeds,
  });
  const clients = lines.flatMap(({ round, clients: errors = [] }) =>
    errors.flatMap((value, seed) => (value === null ? [] : [{ round, seed, value: 100 * value }])),
  );
  const all = [
    {
      term: "study_test_error",
      unit: "%",
      drawn: [{ label: "Test error", curve: curve(({ test_error }) => 100 * test_error), style: INK }],
    },
    {
      term: "study_client_error_mean",
      unit: "%",
      drawn: [
        {
          label: "Mean of clients",
          curve: curve((line) => meanOf(line.clients ?? []), clients),
          style: INK,
        },
      ],
    },
    {
      term: "study_train_loss",
      unit: "",
      drawn: [{ label: "Training loss", curve: curve(({ train_loss }) => train_loss), style: INK }],
    },
  ] as const;
  return all.filter(({ drawn: [{ curve: own }] }) => own.points.length > 0);
}

function meanOf(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? NaN : (100 * known.reduce((sum, value) => sum + value, 0)) / known.length;
}

/** What the table knows of a run whose folder is not there. */
async function ofTable(id: string): Promise<SentJournal> {
  const rows = records.value.filter(({ run_id }) => run_id === id).sort((a, b) => a.round - b.round);
  const [first] = rows;
  if (!first) throw new Error(`there is no run ${id} in this study`);
  return {
    id,
    state: standings.value.get(id)?.state ?? "finished",
    settings: first.settings,
    overrides: first.overrides,
    facts: [["From", "the table; the folder of the run is not here"]],
    lines: rows.map(({ round, test_error, d_loc }) => ({ round, test_error, d_loc, train_loss: NaN })),
    broken: [],
  };
}
