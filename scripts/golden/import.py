"""Writes test/golden/import: small files in the layouts of PDEBench, CFDBench and OpenFWI, made by h5py and NumPy.

    python scripts/golden/import.py        # from the repository's root; needs numpy and h5py

Values count upwards, so that the tests can say what each must be; the grids are tiny, the layouts those of the
downloads. The files hold no data of those benchmarks.
"""

import json
import shutil
import sys
import zipfile
from pathlib import Path

import h5py
import numpy as np

OUT = Path("test/golden/import")


def counting(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype="f8").reshape(shape)


def darcy() -> None:
    nu, tensor = counting(12, 8, 8), -counting(12, 1, 8, 8) / 4
    cells = (np.arange(8) + 0.5) / 8
    with h5py.File(OUT / "darcy-contiguous.hdf5", "w") as file:
        file.create_dataset("tensor", data=tensor.astype("f4"))
        file.create_dataset("nu", data=nu.astype("f4"))
        file.create_dataset("x-coordinate", data=cells.astype("f4"))
        file.create_dataset("y-coordinate", data=cells.astype("f4"))
        file.attrs["beta"] = 0.1
    with h5py.File(OUT / "darcy-compressed.hdf5", "w") as file:
        options = {"compression": "gzip", "shuffle": True}
        file.create_dataset("tensor", data=tensor, chunks=(5, 1, 8, 4), **options)
        file.create_dataset("nu", data=nu.astype(">f8"), chunks=(1, 8, 8), **options)
        file.create_dataset("x-coordinate", data=cells)
        file.create_dataset("y-coordinate", data=cells)
        file.attrs["beta"] = [0.1]


def dam_break() -> None:
    for name, dtype, options in (
        ("contiguous", "f4", {}),
        ("compressed", "f8", {"compression": "gzip", "chunks": (3, 8, 8, 1)}),
    ):
        with h5py.File(OUT / f"dam-break-{name}.h5", "w") as file:
            for seed in range(6):
                group = f"{seed:04d}"
                data = 10000 * seed + counting(5, 8, 8, 1)
                file.create_dataset(f"{group}/data", data=data.astype(dtype), **options)
                for axis in "xy":
                    file.create_dataset(f"{group}/grid/{axis}", data=np.linspace(-2.1875, 2.1875, 8).astype("f4"))
                file.create_dataset(f"{group}/grid/t", data=np.linspace(0, 1, 5).astype("f4"))
                config = f"name: radial_dam_break\nsim:\n  T_end: 1.0\n  dam_radius: {0.3 + seed / 16}\n"
                file[group].attrs["config"] = config


def cylinder() -> None:
    """Five folders of bc, of which one is short; geo as stored and prop as deflated archive, the latter with zip64."""
    number = 0

    def case(folder: Path, frames: int, dtype: str, order: str = "C") -> None:
        nonlocal number
        folder.mkdir(parents=True)
        u = 10000 * number + counting(frames, 8, 6)
        np.save(folder / "u.npy", np.asarray(u.astype(dtype), order=order))
        np.save(folder / "v.npy", np.asarray((-u).astype(dtype), order=order))
        conditions = {"vel_in": 0.1 * (number + 1), "density": 10, "viscosity": 0.001, "radius": 0.01}
        extent = {"x_min": -0.06, "x_max": 0.16, "y_min": -0.06, "y_max": 0.06}
        (folder / "case.json").write_text(json.dumps(conditions | extent | {"rotated": False}))
        number += 1

    def packed(name: str, prefix: str, method: int, wide: bool = False) -> None:
        folder = OUT / "cylinder" / name
        with zipfile.ZipFile(OUT / "cylinder" / f"{name}.zip", "w", method) as archive:
            for path in sorted(folder.rglob("*.*")):
                info = zipfile.ZipInfo(prefix + str(path.relative_to(folder)))
                info.compress_type = method
                with archive.open(info, "w", force_zip64=wide) as member:
                    member.write(path.read_bytes())
            archive.writestr(zipfile.ZipInfo("__MACOSX/case0000/u.npy"), b"nothing")
        shutil.rmtree(folder)

    for i, (frames, dtype, order) in enumerate(
        [(6, "<f8", "C"), (4, "<f4", "C"), (5, "<f8", "F"), (2, "<f8", "C"), (6, ">f4", "C")]
    ):
        case(OUT / f"cylinder/bc/case{i:04d}", frames, dtype, order)
    for i in range(2):
        case(OUT / f"cylinder/geo/case{i:04d}", 5, "<f8")
    packed("geo", "", zipfile.ZIP_STORED)
    for i in range(2):
        case(OUT / f"cylinder/prop/case{i:04d}", 200, "<f4")
    packed("prop", "cylinder/prop/", zipfile.ZIP_DEFLATED, wide=True)


def openfwi() -> None:
    data = (counting(2, 4, 5, 10, 6) - 1200) / 46
    model = 1500 + counting(2, 4, 1, 6, 6) * 10
    for folder in ("data", "model"):
        (OUT / "openfwi" / folder).mkdir(parents=True)
    np.save(OUT / "openfwi/data/data1.npy", data[0].astype("<f4"))
    np.save(OUT / "openfwi/model/model1.npy", model[0].astype("<f4"))
    np.save(OUT / "openfwi/data/data2.npy", np.asfortranarray(data[1]))
    np.save(OUT / "openfwi/model/model2.npy", np.asfortranarray(model[1]))

    def logarithmic(x):
        return np.sign(x) * np.log1p(np.abs(x))

    low, high = logarithmic(-26.95), logarithmic(52.77)
    scaled = (logarithmic(data.astype("f4").astype("f8")) - low) / (high - low)
    expected = {
        "inputs": ((scaled - 0.5) * 2).reshape(8, -1).tolist(),
        "responses": (((model - 1500) / 3000 - 0.5) * 2).reshape(8, -1).tolist(),
    }
    rounded = {name: [[round(x, 9) for x in row] for row in rows] for name, rows in expected.items()}
    (OUT / "openfwi/scaled.json").write_text(json.dumps(rounded) + "\n")


if __name__ == "__main__":
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    darcy()
    dam_break()
    cylinder()
    openfwi()
    print(f"NumPy {np.__version__}, h5py {h5py.__version__}, Python {sys.version.split()[0]}")
