/**
 * Cosine and sine of multiples of pi from additions and multiplications alone, for the same reason as
 * `elementary.ts`: `Math.cos` and `Math.sin` may round differently from one engine to the next.
 */

/** cos(pi x), exact where it is 0 or +-1; accurate to about one unit in the last place of 1. */
export function cosPi(x: number): number {
  let r = Math.abs(x) % 2; // exact, like every reduction below
  if (r > 1) r = 2 - r;
  if (r > 0.5) return -cosPi(1 - r);
  return r > 0.25 ? sineSeries((0.5 - r) * Math.PI) : cosineSeries(r * Math.PI);
}

/** sin(pi x), exact where it is 0 or +-1. */
export function sinPi(x: number): number {
  const r = Math.abs(x) % 2;
  const sine = r > 1 ? -cosPi(r - 1.5) : cosPi(r - 0.5);
  return x < 0 ? -sine : sine;
}

/** |x| <= pi / 4: the terms left out are below 1e-18. */
function sineSeries(x: number): number {
  const z = x * x;
  let sum = 1;
  for (let n = 16; n >= 2; n -= 2) sum = 1 - (z / (n * (n + 1))) * sum;
  return x * sum;
}

function cosineSeries(x: number): number {
  const z = x * x;
  let sum = 1;
  for (let n = 17; n >= 1; n -= 2) sum = 1 - (z / (n * (n + 1))) * sum;
  return sum;
}
