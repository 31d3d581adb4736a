import loadHighs from "highs";

// The package declares its types as CommonJS although what Node imports is a module.
const highs = await (loadHighs as unknown as typeof loadHighs.default)();

/**
 * The least transport cost between two histograms scaled to mass 1, by the HiGHS linear-programming solver. HiGHS
 * treats numbers below 1e-9 as zero, so masses are given to it as products with the other side's total.
 */
export function transportByLinearProgram(
  source: readonly number[],
  target: readonly number[],
  costs: ArrayLike<number>,
): number {
  const size = source.length;
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const bins = source.map((_, bin) => bin);
  const name = (i: number, j: number) => `m_${i}_${j}`;
  const objective = bins.flatMap((i) => bins.map((j) => `${fixed(costs[i * size + j])} ${name(i, j)}`));
  const out = bins.map(
    (i) => `${bins.map((j) => name(i, j)).join(" + ")} = ${fixed(source[i] * sum(target))}`,
  );
  const into = bins.map(
    (j) => `${bins.map((i) => name(i, j)).join(" + ")} = ${fixed(target[j] * sum(source))}`,
  );
  const constraints = [...out, ...into.slice(1)]; // the last equation follows from the others
  const solution = highs.solve(
    `Minimize\n ${objective.join(" + ")}\nSubject To\n ${constraints.join("\n ")}\nEnd`,
  );
  if (solution.Status !== "Optimal") throw new Error(`the linear program is ${solution.Status}`);
  return solution.ObjectiveValue / (sum(source) * sum(target));
}

function fixed(value: number): string {
  return value.toFixed(18);
}
