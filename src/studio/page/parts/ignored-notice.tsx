import { ignored } from "../state.js";

/** Says what of the address the page could not take: what it shows instead is its default. */
export function IgnoredNotice() {
  const names = ignored.value;
  if (names.length === 0) return null;
  return (
    <p class="notice warning floating" role="alert">
      The page does not understand {names.join(", ")} in its address: it shows the defaults.{" "}
      <button type="button" class="plain" onClick={() => (ignored.value = [])}>
        Close
      </button>
    </p>
  );
}
