import type { ComponentChildren, Ref } from "preact";

interface ThumbProps {
  /** What the picture shows, for those who do not see it. */
  readonly label: string;
  readonly isChosen: boolean;
  readonly children: ComponentChildren;
  readonly onChoose: () => void;
  /** Called with true when the pointer or the focus comes, with false when it goes. */
  readonly onPoint?: (isOn: boolean) => void;
  readonly place?: Ref<HTMLDivElement>;
}

/** A small picture that can be chosen. Its button lies over all of it, so that its name can say more than its text. */
export function Thumb({ label, isChosen, children, onChoose, onPoint, place }: ThumbProps) {
  return (
    <div ref={place} class={isChosen ? "thumb chosen" : "thumb"}>
      <div class="thumb-body" aria-hidden="true">
        {children}
      </div>
      <button
        type="button"
        aria-pressed={isChosen}
        aria-label={label}
        onClick={onChoose}
        onMouseEnter={() => onPoint?.(true)}
        onMouseLeave={() => onPoint?.(false)}
        onFocus={() => onPoint?.(true)}
        onBlur={() => onPoint?.(false)}
      />
    </div>
  );
}
