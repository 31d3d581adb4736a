import { effect, signal } from "@preact/signals";

const KEY = "pde-dirichlet-theme";
const isDark = matchMedia("(prefers-color-scheme: dark)");

/** The theme that is shown: what was chosen here before, else that of the system. */
export const theme = signal<"light" | "dark">(
  (localStorage.getItem(KEY) as "light" | "dark" | null) ?? (isDark.matches ? "dark" : "light"),
);

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});

isDark.addEventListener("change", ({ matches }) => {
  if (localStorage.getItem(KEY) === null) theme.value = matches ? "dark" : "light";
});

/** Switches between light and dark, and remembers it. */
export function ThemeButton() {
  const other = theme.value === "dark" ? "light" : "dark";
  return (
    <button
      type="button"
      class="plain"
      aria-label={`Switch to the ${other} theme`}
      title={`Switch to the ${other} theme`}
      onClick={() => {
        theme.value = other;
        localStorage.setItem(KEY, other);
      }}
    >
      {other === "dark" ? "◐" : "◑"}
    </button>
  );
}
