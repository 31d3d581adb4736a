"""Writes test/golden/random-quantiles.json: quantiles of the normal and of the logarithm of gamma distributions by SciPy."""

import json
from pathlib import Path

import numpy as np
from scipy import special, stats

CELLS = 64
probabilities = np.arange(1, CELLS) / CELLS


def log_gamma_quantiles(shape):
    # Where x itself underflows, P(X < x) is x^shape / Gamma(shape + 1) to all digits.
    tiny = (np.log(probabilities) + special.gammaln(shape + 1)) / shape
    with np.errstate(divide="ignore"):
        plain = np.log(special.gammaincinv(shape, probabilities))
    return np.where(tiny < -600, tiny, plain).tolist()


golden = {
    "normal": stats.norm.ppf(probabilities).tolist(),
    "logGamma": [[shape, log_gamma_quantiles(shape)] for shape in (1e-4, 0.01, 0.1, 0.5, 1, 3, 100, 1e6)],
}
path = Path(__file__).parents[2] / "test" / "golden" / "random-quantiles.json"
path.write_text(json.dumps(golden) + "\n")
