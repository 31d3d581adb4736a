/** The colours of the present theme that a canvas needs. */
export interface ThemeColors {
  readonly ground: string;
  readonly ink: string;
  readonly line: string;
}

export function themeColors(): ThemeColors {
  const style = getComputedStyle(document.documentElement);
  // Built style sheets write white as `#fff`.
  const color = (name: string) =>
    style
      .getPropertyValue(name)
      .trim()
      .replace(/^#(.)(.)(.)$/, "#$1$1$2$2$3$3");
  return { ground: color("--ground"), ink: color("--ink"), line: color("--strong-line") };
}
