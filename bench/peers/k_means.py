"""Times scikit-learn's KMeans for bench/partition.mjs: HDF5 file, clusters, number of seeds."""

import json
import sys
import time

import h5py
import numpy as np
from sklearn.cluster import KMeans

path, clusters, seeds = sys.argv[1], *map(int, sys.argv[2:])
with h5py.File(path) as file:
    rows = file["train/responses"][:]
samples = len(rows)
rows = rows.reshape(samples, -1)
mean = rows.mean(axis=0, dtype=np.float64)
variance = sum(((rows[i : i + 100] - mean) ** 2).sum() for i in range(0, samples, 100))

found = []
for seed in range(seeds):
    start, cpu = time.perf_counter(), time.process_time()
    fit = KMeans(clusters, n_init=1, random_state=seed).fit(rows)
    found.append(
        {
            "seconds": time.perf_counter() - start,
            "cpu": time.process_time() - cpu,
            "iterations": fit.n_iter_,
            "left": float(fit.inertia_ / variance),
        }
    )
json.dump(found, sys.stdout)
