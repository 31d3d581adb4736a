import { ignored } from "../state.js";

/** Says what of the address the page could not take: what it shows instead is its default. */
export function IgnoredNotice() {
  const names = ignored.value;
  if (names.length === 0) return null;
  return (
    <p class="notice warning floating" role="alert">
      The page cannot take what its address says of {names.join(", ")}: the default stands instead.{" "}
      <button type="button" class="plain" onClick={() => (ignored.value = [])}>
        Close
      </button>
    </p>
  );
}
