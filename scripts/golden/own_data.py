"""Writes test/golden/own-data: small files as people of the field save them, read by test/datasets/file-data.test.ts.

    python scripts/golden/own_data.py      # from the repository's root; needs numpy and h5py
"""

from pathlib import Path

import h5py
import numpy as np

OUT = Path("test/golden/own-data")
OUT.mkdir(parents=True, exist_ok=True)


def numbered(*shape: int) -> np.ndarray:
    """Numbers that say where they lie: the value is the position in C order."""
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def main() -> None:
    # FNO's Navier-Stokes: vorticity at two times to vorticity later.
    np.savez(OUT / "ns.npz", a=numbered(10, 2, 9, 8), u=numbered(10, 9, 8))
    np.savez(OUT / "ns-channels-last.npz", a=numbered(10, 9, 8, 2), u=numbered(10, 9, 8, 1))
    np.savez(OUT / "ns-fortran.npz", a=np.asfortranarray(numbered(10, 2, 9, 8)), u=np.asfortranarray(numbered(10, 9, 8)))
    # PDEBench's advection, cut into first and last states.
    with h5py.File(OUT / "advection.hdf5", "w") as file:
        file["inputs"] = numbered(10, 16)
        file["outputs"] = numbered(10, 16) * 2
        file["x-coordinate"] = np.linspace(0, 1, 16, dtype=np.float32) ** 2
        file["t-coordinate"] = np.linspace(0, 2, 41, dtype=np.float32)
        file.attrs["beta"] = 0.4
        file["inputs"].attrs["long_name"] = "initial state"
        file["outputs"].attrs["label"] = "final state"
        file["outputs"].attrs["units"] = "m/s"
        file["x-coordinate"].attrs["units"] = "m"
    # Dimension scales and labels, as h5py makes them.
    with h5py.File(OUT / "scales.h5", "w") as file:
        file["train/inputs"] = numbered(6, 8, 10)
        file["train/responses"] = numbered(6, 8, 10, 3)
        file["test/inputs"] = numbered(2, 8, 10)
        file["test/responses"] = numbered(2, 8, 10, 3)
        file["train/reynolds"] = np.arange(6.0)
        file["test/reynolds"] = np.arange(2.0) + 100
        file["x"] = np.linspace(-1, 1, 8)
        file["t"] = np.linspace(0, 5, 10)
        file["x"].make_scale("x")
        file["t"].make_scale("t")
        file["t"].attrs["units"] = "s"
        for half in "train", "test":
            for name in "inputs", "responses":
                stored = file[f"{half}/{name}"]
                stored.dims[1].attach_scale(file["x"])
                stored.dims[2].attach_scale(file["t"])
            file[f"{half}/responses"].dims[3].label = "component"
        file["train/responses"].attrs["channel_labels"] = ["u", "v", "w"]
        file.attrs["name"] = "My Wave"
        file.attrs["title"] = "Waves in a tube"
        file.attrs["origin"] = "own solver, version 3"
        file.attrs["seed"] = 7
        file.attrs["speed"] = 340.0
    # DeepXDE's triple: functions, points, values.
    points = np.random.default_rng(0).random((12, 2)).astype(np.float32)
    np.savez(
        OUT / "triple.npz",
        X_train0=numbered(8, 20),
        X_train1=points,
        y_train=numbered(8, 12),
        X_test0=numbered(3, 20),
        X_test1=points,
        y_test=numbered(3, 12),
    )
    # DeepXDE's aligned antiderivatives: functions and points in one array of objects, samples in two files.
    for half, samples in ("train", 30), ("test", 10):
        random = np.random.default_rng(samples)
        points = np.linspace(0, 1, 25, dtype=np.float32)[:, None]
        waves = random.standard_normal((samples, 4))
        k = np.arange(1, 5)
        functions = waves @ np.cos(k[:, None] * points.T)
        X = np.empty(2, dtype=object)
        X[0], X[1] = functions.astype(np.float32), points
        y = (waves / k) @ np.sin(k[:, None] * points.T)
        np.savez(OUT / f"aligned-{half}.npz", X=X, y=y.astype(np.float32))
    np.savez_compressed(OUT / "volume.npz", x=numbered(5, 8, 8, 8), y=numbered(5, 8, 8, 8))


if __name__ == "__main__":
    main()
