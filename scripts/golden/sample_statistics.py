"""Writes test/golden/sample-statistics.json: Student-t quantiles, intervals and correlations by SciPy."""

import json
from pathlib import Path

import numpy as np
from scipy import stats

LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999]
rng = np.random.default_rng(20)


def sample(x):
    interval = stats.t.interval(0.95, len(x) - 1, loc=np.mean(x), scale=stats.sem(x))
    return {"values": x.tolist(), "mean": np.mean(x), "sd": np.std(x, ddof=1), "interval": [float(v) for v in interval]}


def pair(x, y):
    pearson, spearman = stats.pearsonr(x, y).statistic, stats.spearmanr(x, y).statistic
    return {"x": x.tolist(), "y": y.tolist(), "pearson": pearson, "spearman": spearman}


x = rng.normal(size=25)
golden = {
    "levels": LEVELS,
    # One row a df from 1 to 200: the quantiles that bound the two-sided intervals.
    "quantiles": [[float(stats.t.ppf((1 + level) / 2, df)) for level in LEVELS] for df in range(1, 201)],
    "realDf": [[df, p, float(stats.t.ppf(p, df))] for df in (0.3, 1.5, 7.25, 333.3, 1e5) for p in (0.01, 0.4, 0.975)],
    "samples": [sample(rng.normal(size=5)), sample(1e6 + rng.exponential(size=40)), sample(np.array([1.0, 4.0]))],
    "pairs": [
        pair(x, 0.3 * x + rng.normal(size=25)),
        pair(x, -np.exp(x)),
        pair(1e5 + x, 1e5 - x + 0.01 * rng.normal(size=25)),
        pair(rng.integers(0, 4, 60).astype(float), rng.integers(0, 4, 60).astype(float)),
    ],
}
path = Path(__file__).parents[2] / "test" / "golden" / "sample-statistics.json"
path.write_text(json.dumps(golden) + "\n")
