import { signal } from "@preact/signals";
import type { PartitionFileKind } from "../../../../lab/lab.js";
import { messageOf } from "../../../loadable.js";
import { Setting } from "../../../parts/settings.js";
import { lab, split, splitChoice } from "../../../state.js";

/** What there is to say of the last file: that it is being made, or why it could not be. */
const said = signal("");

/** Saves the files that `partition --out` would write. */
export function PartitionFiles() {
  const isThere = split.value.kind === "ready";
  return (
    <Setting term="partition_file">
      <div class="row">
        {(["json", "npz"] as const).map((kind) => (
          <button
            key={kind}
            type="button"
            class="plain"
            disabled={!isThere || said.value === MEASURING}
            onClick={() => download(kind)}
          >
            Save {kind.toUpperCase()}
          </button>
        ))}
      </div>
      <p class="faint small about" role="status">
        {said.value}
      </p>
    </Setting>
  );
}

const MEASURING = "Measuring all that the file says";

async function download(kind: PartitionFileKind): Promise<void> {
  said.value = MEASURING;
  try {
    const { name, bytes } = await lab.partitionFile(splitChoice.value, kind);
    const address = URL.createObjectURL(new Blob([bytes]));
    const link = Object.assign(document.createElement("a"), { href: address, download: name });
    link.click();
    // The browser has begun to save it by then.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    said.value = `Saved ${name}`;
  } catch (error) {
    said.value = messageOf(error);
  }
}
