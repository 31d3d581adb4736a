"""Writes test/golden/files: small files made by NumPy, h5py and pickle, which the readers of src/files are tested on.

    python scripts/golden/files.py        # from the repository's root; needs numpy and h5py
"""

import pickle
import sys
import zipfile
from collections import OrderedDict, defaultdict
from pathlib import Path

import h5py
import numpy as np

OUT = Path("test/golden/files")
OUT.mkdir(parents=True, exist_ok=True)


def npy() -> None:
    cube = np.arange(24).reshape(4, 3, 2)
    for code in "b1 i1 u1 <i2 >u2 <i4 >i4 <u4 <i8 >i8 <u8 <f2 >f2 <f4 >f4 <f8 >f8".split():
        dtype = np.dtype(code)
        order = "be" if dtype.byteorder == ">" else "le"
        np.save(OUT / f"{dtype.name}-{order}.npy", (cube % 2 if code == "b1" else cube).astype(dtype))
    np.save(OUT / "fortran.npy", np.asfortranarray(cube.astype("<f4")))
    np.save(OUT / "scalar.npy", np.float64(2.5))
    np.save(OUT / "empty.npy", np.zeros((0, 3), "<f4"))
    np.save(OUT / "special.npy", np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 6e-8, 65504.0], "<f2"))
    for version in ((2, 0), (3, 0)):
        with open(OUT / f"version-{version[0]}.npy", "wb") as file:
            np.lib.format.write_array(file, cube.astype("<i4"), version=version)
    np.save(OUT / "objects.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    np.save(OUT / "structured.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))
    np.save(OUT / "complex.npy", np.zeros(2, complex))
    np.savez(OUT / "stored.npz", cube=cube.astype("<f4"), ids=np.arange(5))
    np.savez_compressed(OUT / "deflated.npz", cube=cube.astype("<f4"), ids=np.arange(5))
    with zipfile.ZipFile(OUT / "zip64.npz", "w") as archive:  # force_zip64 writes the wide fields in a small file
        with archive.open("ids.npy", "w", force_zip64=True) as member:
            np.save(member, np.arange(5))


def h5() -> None:
    with h5py.File(OUT / "fields.h5", "w", track_order=True) as file:
        file.attrs["seed"] = 42
        file.attrs["title"] = "héllo"
        u = file.create_dataset("u", data=np.arange(40, dtype="<f4").reshape(5, 4, 2))
        u.attrs["units"] = "m/s"
        u.attrs["range"] = [0.0, 39.0]
        file.create_dataset("group/deep/big", data=np.arange(6, dtype=">f8").reshape(3, 2))
        file.create_dataset("labels", data=np.arange(5))
        file.create_dataset("flags", data=np.array([True, False]))
        file.create_dataset("gzip", data=np.arange(1000.0), compression="gzip", shuffle=True)
        file.create_dataset("lzf", data=np.arange(1000.0), compression="lzf")
        file.create_dataset("names", data=["a", "b"])
        file.create_dataset("scalar", data=2.5)
        file.create_dataset("empty", data=h5py.Empty("f4"))
        file.create_dataset("complex", data=np.zeros(2, complex))
        file["link"] = h5py.SoftLink("/u")
        file["broken"] = h5py.SoftLink("/nothing")


def h5_kinds() -> None:
    halves = np.array([[1, 2, -1.5], [0.5, 6e-8, 65504]])
    with h5py.File(OUT / "kinds.h5", "w", track_order=True) as file:
        file["half"] = halves.astype("<f2")
        file["half-big"] = halves.astype(">f2")
        file["half-scalar"] = np.float16(2.5)
        file["complex"] = np.zeros(2, complex)
        file["compound"] = np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")])
        file["names"] = ["a", "b"]
        file["fixed"] = np.array([b"abc", b"de"])
        file["long"] = np.zeros(2, np.longdouble)
        file.create_dataset("ragged", (2,), dtype=h5py.vlen_dtype(np.int32))
        file.create_dataset("colour", data=[0, 1], dtype=h5py.enum_dtype({"RED": 0, "BLUE": 1}, "i4"))
        file.create_dataset("references", (1,), dtype=h5py.ref_dtype)
        file["opaque"] = np.void(b"abc")
        file.create_dataset("vectors", (2,), dtype=np.dtype(("f4", (3,))))


def h5_links() -> None:
    rows = np.arange(60.0).reshape(12, 5)
    with h5py.File(OUT / "user-block.h5", "w", userblock_size=2048) as file:  # MATLAB's have 512 bytes
        file["responses"] = rows
    with h5py.File(OUT / "links.h5", "w") as file:
        file["responses"] = rows
        file["link"] = h5py.ExternalLink("fields.h5", "/group/deep/big")
        file.create_dataset("stored", (8, 8), "u1", external=[("package.json", 0, 64)])  # as seen from the root
        layout = h5py.VirtualLayout((5, 4, 2), "f4")
        layout[:] = h5py.VirtualSource("fields.h5", "u", (5, 4, 2))
        file.create_virtual_dataset("virtual", layout, fillvalue=7)
        layout = h5py.VirtualLayout((5, 4, 2), "f4")
        layout[:] = h5py.VirtualSource("nowhere.h5", "u", (5, 4, 2))
        file.create_virtual_dataset("missing", layout, fillvalue=7)
        file["there"] = h5py.SoftLink("/back")
        file["back"] = h5py.SoftLink("/there")
        file["group/itself"] = h5py.SoftLink("/group/itself")
        file.create_dataset("unwritten", (800, 1024, 1024), "f8", chunks=(1, 1024, 1024), fillvalue=1.5)


def pickles() -> None:
    value = {
        0: np.array([3, 1, 2]),
        1: [4, 5],
        "name": "naïve",
        "none": None,
        "flags": (True, False),
        "float": 0.25,
        "big": 2**80,
        "negative": [-1, -300, -70000, 2**40, -(2**40)],
        "bytes": b"\x00\xff",
        "scalar": np.int64(7),
        "single": np.float32(0.5),
        "ordered": OrderedDict([("b", 1), ("a", 2)]),
        "default": defaultdict(list, {1: [2]}),
        "set": {1},
        "nested": [[], {}, ()],
        "matrix": np.arange(6, dtype=">i2").reshape(2, 3),
        "objects": np.array([np.array([1]), np.array([2, 3])], dtype=object),
        "class": complex(1, 2),
    }
    value["again"] = value["ordered"]
    for protocol in range(6):
        (OUT / f"protocol-{protocol}.pkl").write_bytes(pickle.dumps(value, protocol))
    old = pickle.dumps({0: np.array([3, 1, 2])}, 2)  # as NumPy 1 named its module
    (OUT / "numpy-1.pkl").write_bytes(old.replace(b"numpy._core.multiarray", b"numpy.core.multiarray"))


if __name__ == "__main__":
    npy()
    h5()
    h5_kinds()
    h5_links()
    pickles()
    print(f"NumPy {np.__version__}, h5py {h5py.__version__}, Python {sys.version.split()[0]}")
