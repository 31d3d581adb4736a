"""How much of the variance of each descriptor the bins of a partition explain. Needs NumPy.

    python explained.py airfoils.npz clients.npz
"""

import sys

import numpy as np

data, partition = map(np.load, sys.argv[1:3])
bins = partition["bin_of_sample"]
for name in "cl", "cd", "pod":
    values = data[name].reshape(len(bins), -1)
    means = np.array([values[bins == b].mean(axis=0) for b in range(bins.max() + 1)])
    left = ((values - means[bins]) ** 2).sum() / ((values - values.mean(axis=0)) ** 2).sum()
    print(f"{name:4} {100 * (1 - left):5.1f} %")
