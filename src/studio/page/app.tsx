import { VIEWS, type View } from "../settings.js";
import { DropTarget } from "./parts/drop-target.js";
import { IgnoredNotice } from "./parts/ignored-notice.js";
import { ThemeButton } from "./parts/theme-button.js";
import { ShareButton } from "./share/share-button.js";
import { change, view } from "./state.js";
import { Tour, TourButton } from "./tour/tour.js";
import { VIEW_ENTRIES } from "./views.js";

/** The whole page: views as tabs, what can be set at the left, the view itself. */
export function App() {
  const open = view.value;
  const { title, Side, Main } = VIEW_ENTRIES[open];
  return (
    <div class="studio">
      <header class="bar">
        <h1>
          <img src={new URL("./icon.svg", import.meta.url).href} alt="" width="16" height="16" />
          <span>pde-dirichlet studio</span>
        </h1>
        <div class="tabs" role="tablist" aria-label="Views" onKeyDown={moveBetweenTabs}>
          {VIEWS.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              class="tab"
              aria-selected={name === open}
              aria-controls="view"
              tabIndex={name === open ? 0 : -1}
              onClick={() => change({ view: name })}
            >
              {VIEW_ENTRIES[name].title}
            </button>
          ))}
        </div>
        <div class="tools">
          <TourButton />
          <ShareButton />
          <ThemeButton />
        </div>
      </header>
      <aside class="side" aria-label={`Settings of ${title}`}>
        <Side />
      </aside>
      <main class="main">
        <div id="view" role="tabpanel" aria-labelledby={`tab-${open}`}>
          <Main />
        </div>
      </main>
      <IgnoredNotice />
      <Tour />
      <DropTarget />
    </div>
  );
}

/** Arrow keys go from tab to tab, as in every list of tabs. */
function moveBetweenTabs(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const at = VIEWS.indexOf(view.value);
  const next: View = VIEWS[(at + step + VIEWS.length) % VIEWS.length];
  change({ view: next });
  document.getElementById(`tab-${next}`)?.focus();
  event.preventDefault();
}
