/**
 * Exact moments of the symmetric Dirichlet(alpha 1_K): those of lem:app-dirichlet-moments and higher ones. The higher
 * moments give exact standard errors for Monte Carlo means.
 */

/** A statistic of two components of a draw, with its mean and variance. */
export interface MomentLaw {
  readonly name: "mean" | "variance" | "covariance" | "pair difference";
  /** Symbol in the notation of `analysis/notation.ts`. */
  readonly symbol: string;
  readonly expected: number;
  /** Variance of the statistic over single draws. */
  readonly variance: number;
  /** The statistic of components i and j. Its mean over draws estimates `expected`. */
  readonly statistic: (x: number, y: number) => number;
}

/**
 * The moment E[R_i^m R_j^n] for i different from j. It is a ratio of rising factorials,
 * (alpha)_m (alpha)_n / (K alpha)_{m+n}. Default n = 0.
 */
export function dirichletMoment(clients: number, alpha: number, m: number, n = 0): number {
  let moment = 1;
  for (let r = 0; r < m + n; r++) moment *= (alpha + (r < m ? r : r - m)) / (clients * alpha + r);
  return moment;
}

/** The four moments of lem:app-dirichlet-moments. */
export function dirichletMoments(clients: number, alpha: number): readonly MomentLaw[] {
  const centre = 1 / clients;
  const spread = 1 / (clients * clients * (clients * alpha + 1));
  const central = (m: number, n = 0) => centralMoment(clients, alpha, m, n);
  const law = (
    name: MomentLaw["name"],
    symbol: string,
    expected: number,
    square: number,
    statistic: MomentLaw["statistic"],
  ): MomentLaw => ({ name, symbol, expected, variance: square - expected * expected, statistic });
  const variance = (clients - 1) * spread;
  const difference = 2 / (clients * (clients * alpha + 1));
  // (x - y)^4 with x and y centred and exchangeable
  const fourth = 2 * central(4) - 8 * central(3, 1) + 6 * central(2, 2);
  return [
    { name: "mean", symbol: "E[R_k]", expected: centre, variance, statistic: (x) => x },
    law("variance", "Var(R_k)", variance, central(4), (x) => (x - centre) * (x - centre)),
    law("covariance", "Cov(R_i, R_j)", -spread, central(2, 2), (x, y) => (x - centre) * (y - centre)),
    law("pair difference", "E[(R_i − R_j)²]", difference, fourth, (x, y) => (x - y) * (x - y)),
  ];
}

/** E[(R_i - 1/K)^m (R_j - 1/K)^n], by the binomial theorem. */
function centralMoment(clients: number, alpha: number, m: number, n: number): number {
  let sum = 0;
  for (let i = 0; i <= m; i++)
    for (let j = 0; j <= n; j++)
      sum +=
        choose(m, i) *
        choose(n, j) *
        (-1 / clients) ** (m + n - i - j) *
        dirichletMoment(clients, alpha, i, j);
  return sum;
}

function choose(n: number, k: number): number {
  return k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k;
}
