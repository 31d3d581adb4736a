"""Writes the same vorticity fields as MATLAB v5, MATLAB v7.3, PyTorch and NPZ files: test/golden/own-data/ns-files.*

Needs NumPy, SciPy, h5py and PyTorch. The fields are random sums of waves that decay in time.
"""

from pathlib import Path

import h5py
import numpy as np
import scipy.io
import torch

FOLDER = Path(__file__).parents[2] / "test" / "golden" / "own-data"
SAMPLES, SIDE, FRAMES = 40, 8, 4

rng = np.random.default_rng(7)
x = np.arange(SIDE) / SIDE
phase = rng.uniform(0, 2 * np.pi, (SAMPLES, 3))
size = rng.standard_normal((SAMPLES, 3))
u = np.zeros((SAMPLES, SIDE, SIDE, FRAMES))
for wave in range(3):
    k = wave + 1
    field = np.sin(2 * np.pi * k * (x[:, None] + x[None, :])[None] + phase[:, wave, None, None])
    decay = np.exp(-0.2 * k**2 * np.arange(FRAMES))
    u += (size[:, wave, None, None] * field)[..., None] * decay
u = u.astype("float32")
a = u[..., 0].copy()
t = np.arange(FRAMES, dtype="float64")

scipy.io.savemat(FOLDER / "ns-files-v5.mat", {"a": a, "u": u, "t": t[:, None]}, do_compression=True)
with h5py.File(FOLDER / "ns-files-v73.mat", "w", userblock_size=512) as file:
    for name, values, kind in ("a", a, "single"), ("u", u, "single"), ("t", t[:, None], "double"):
        # MATLAB stores axes in reverse order.
        file.create_dataset(name, data=np.ascontiguousarray(values.T)).attrs["MATLAB_class"] = np.bytes_(kind)
with open(FOLDER / "ns-files-v73.mat", "r+b") as file:
    file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM")
# Strides of a tensor that was permuted, as neuraloperator's files have them.
strided = torch.tensor(np.ascontiguousarray(u.transpose(3, 2, 1, 0))).permute(3, 2, 1, 0)
torch.save({"a": torch.tensor(a), "u": strided, "t": torch.tensor(t)}, FOLDER / "ns-files.pt")
np.savez(FOLDER / "ns-files.npz", a=a, u=u, t=t)
