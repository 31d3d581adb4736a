import { useState } from "preact/hooks";

/** Copies a text, and says that it did. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState("");
  return (
    <>
      <button
        type="button"
        class="plain"
        aria-label={`Copy ${what}`}
        onClick={async () => {
          try {
            await navigator.clipboard.writeText(text);
            setSaid("Copied");
          } catch {
            setSaid("The browser does not let this page copy: select the text instead");
          }
        }}
      >
        Copy
      </button>
      <span class="faint small" role="status">
        {said}
      </span>
    </>
  );
}
