/**
 * The equation of a task with its single letters marked as variables, as the figures set them. The article in "past a
 * cylinder" is a word.
 */
export const withVariables = (equation: string): string =>
  equation.replace(/(?<![\w^])(?!(?<=[a-z]{2} )a\b)(?:h[uv]|[a-z])(?![\w^])/g, "$$$&$$");
