"""Writes test/golden/k-means.json: overlapping clusters in float32, and what NumPy and scikit-learn make of them."""

import base64
import json
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

ROWS, COLUMNS, CLUSTERS, SEEDS = 400, 19, 12, 100

random = np.random.default_rng(20240607)
centres = random.normal(size=(18, COLUMNS)) * 1.5
rows = (3 + centres[random.integers(0, 18, ROWS)] + random.normal(size=(ROWS, COLUMNS))).astype(np.float32)
mean = rows.astype(np.float64).mean(axis=0)
scale = np.sqrt(((rows - mean) ** 2).sum(axis=1).mean())
normalised = ((rows - mean) / scale).astype(np.float32)
fits = [KMeans(CLUSTERS, n_init=1, random_state=seed, tol=0).fit(normalised) for seed in range(SEEDS)]

Path("test/golden/k-means.json").write_text(
    json.dumps(
        {
            "rows": ROWS,
            "columns": COLUMNS,
            "clusters": CLUSTERS,
            "data": base64.b64encode(rows.tobytes()).decode(),
            "mean": mean.tolist(),
            "scale": float(scale),
            "inertias": [round(float(fit.inertia_), 6) for fit in fits],
        },
        indent=1,
    )
    + "\n"
)
