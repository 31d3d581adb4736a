import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { messageOf } from "../../loadable.js";
import { Progress } from "../../parts/status.js";

/** A part of the page whose code is loaded when it is shown first. */
export function lazyPart(load: () => Promise<ComponentType>): ComponentType {
  const part = signal<{ readonly Component?: ComponentType; readonly failure?: string }>({});
  return function LazyPart() {
    const { Component, failure } = part.value;
    useEffect(() => {
      if (part.peek().Component) return;
      load().then(
        (Component) => {
          part.value = { Component };
        },
        (error) => {
          part.value = { failure: messageOf(error) };
        },
      );
    }, []);
    if (Component) return <Component />;
    if (failure === undefined) return <Progress words="Loading" />;
    return (
      <p class="notice failed" role="alert">
        This part of the page cannot be loaded: {failure}. Reload the page.
      </p>
    );
  };
}
