import { useEffect, useRef, useState } from "preact/hooks";
import type { Known } from "../../equivalent/commands.js";
import type { StudioSettings } from "../../settings.js";
import { messageOf, presentOf } from "../loadable.js";
import { data, settings, split } from "../state.js";
import { CopyButton } from "./copy-button.js";
import "./share.css";

/** Opens what can be taken away: the address, and the commands and the study that give the same result. */
export function ShareButton() {
  const [isOpen, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <>
      <button type="button" class="plain" data-tour="share" onClick={() => setOpen(true)}>
        Share
      </button>
      <dialog ref={dialog} class="share" aria-label="Share" onClose={() => setOpen(false)}>
        {isOpen && <Shared />}
        <button type="button" class="plain" onClick={() => setOpen(false)}>
          Close
        </button>
      </dialog>
    </>
  );
}

/** Commands and study; what writes them is loaded for those who ask for it. */
async function wordsFor(asked: StudioSettings, known: Known) {
  const [{ commandsOf }, { specificationOf }] = await Promise.all([
    import("../../equivalent/commands.js"),
    import("../../equivalent/specification.js"),
  ]);
  try {
    const commands = commandsOf(asked, known).join("\n");
    return { commands, study: specificationOf(asked, known) ?? "", problem: "" };
  } catch (error) {
    return { commands: "", study: "", problem: messageOf(error) };
  }
}

function Shared() {
  const { origin, description, coordinates } = presentOf(data.value) ?? {};
  const known: Known = { origin, description, coordinates, minSize: presentOf(split.value)?.minSize };
  const [{ commands, study, problem }, setWords] = useState({ commands: "", study: "", problem: "" });
  useEffect(() => {
    wordsFor(settings.value, known).then(setWords);
  }, [settings.value, known.origin, known.minSize]);
  return (
    <>
      <Piece
        title="Link"
        text={location.href.replace(/[?&]token=[^#&]*/, "")}
        note={
          origin?.kind === "file"
            ? "The link says how the file is read. Whoever opens it needs the same file."
            : "It holds everything that differs from the defaults."
        }
      />
      {problem && <p class="notice warning">{problem}</p>}
      {commands && (
        <Piece
          title="Commands"
          text={commands}
          note={
            settings.value.view === "training"
              ? "One a run: they end with the same errors to four digits, without a page."
              : "They give the same result, to the last bit."
          }
        />
      )}
      {settings.value.view === "training" && commands && !study && (
        <p class="faint small">
          No study has these runs: they are not all combinations of what they differ in.
        </p>
      )}
      {study && (
        <Piece
          title="Study"
          text={study}
          note="Save it as study.yaml and run: pde-dirichlet study study.yaml --out out"
        />
      )}
    </>
  );
}

function Piece({
  title,
  text,
  note,
}: {
  readonly title: string;
  readonly text: string;
  readonly note: string;
}) {
  return (
    <section>
      <div class="share-head">
        <h2>{title}</h2>
        <CopyButton text={text} what={title.toLowerCase()} />
      </div>
      <pre>{text}</pre>
      <p class="faint small">{note}</p>
    </section>
  );
}
