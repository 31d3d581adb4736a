"""Times POT and SciPy on the problems that bench/transport.mjs sends, in seconds for all pairs of clients."""

import json
import sys
import time

import numpy as np
import ot
from scipy.optimize import linprog
from scipy.sparse import identity, kron, vstack

POT_REPEATS = 3
SCIPY_PAIRS = 60  # of all, evenly spread; the time is scaled up

given = json.load(sys.stdin)
bins = len(given["problems"][0]["counts"][0])
cost = np.array(given["cost"]).reshape(bins, bins)
ones = np.ones((1, bins))
marginals = vstack([kron(identity(bins), ones), kron(ones, identity(bins))]).tocsr()


def scipy_distance(source, target):
    total = np.concatenate([source, target])
    return linprog(cost.ravel(), A_eq=marginals, b_eq=total, method="highs").fun


def timed(distance, pairs, histograms):
    start = time.perf_counter()
    found = [(i, j, float(distance(histograms[i], histograms[j]))) for i, j in pairs]
    return time.perf_counter() - start, found


answers = []
for problem in given["problems"]:
    counts = np.array(problem["counts"], dtype=float)
    histograms = counts / counts.sum(axis=1, keepdims=True)
    pairs = [(i, j) for i in range(len(counts)) for j in range(i + 1, len(counts))]
    some = pairs[:: len(pairs) // SCIPY_PAIRS]
    pot = min(timed(lambda a, b: ot.emd2(a, b, cost), pairs, histograms) for _ in range(POT_REPEATS))
    seconds, found = timed(scipy_distance, some, histograms)
    answers.append(
        {
            "POT": {"seconds": pot[0], "distances": pot[1]},
            "SciPy": {"seconds": seconds * len(pairs) / len(some), "distances": found},
        }
    )
json.dump(answers, sys.stdout)
