import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Size of an element in whole pixels, kept up to date; undefined before it is laid out. */
export function useSizeOf(element: RefObject<Element | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const take = ({ width, height }: Size) =>
      setSize({ width: Math.floor(width), height: Math.floor(height) });
    const observer = new ResizeObserver(([entry]) => take(entry.contentRect));
    take(element.current!.getBoundingClientRect());
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return size;
}
