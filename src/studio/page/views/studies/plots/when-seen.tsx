import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface WhenSeenProps {
  /** Room that is kept free until then, in pixels. */
  readonly height: number;
  readonly children: () => ComponentChildren;
}

/** Draws what is on the screen, or soon will be; what is further down waits until somebody scrolls there. */
export function WhenSeen({ height, children }: WhenSeenProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useLayoutEffect(() => {
    if (isSeen) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: "200px" },
    );
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, [isSeen]);
  return (
    <div ref={place} style={isSeen ? undefined : { minHeight: `${height}px` }}>
      {isSeen && children()}
    </div>
  );
}
